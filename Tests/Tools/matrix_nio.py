"""Does the actions of users with matrix-nio; Tests/Tools/matrix-nio describes the arguments.

["create", {NAME: VALUE}]            creates a room with the arguments of nio, and returns its ID
["send", ROOM, TYPE, CONTENT]        sends an event, and returns its ID
["state", ROOM, TYPE, KEY, CONTENT]  sets the state of a room, and returns the ID of the event
["read", ROOM, EVENT]                sends a read receipt, and moves the marker m.fully_read
["upload", TYPE, NAME, TEXT]         uploads a file, and returns its address
["request", METHOD, PATH, BODY]      sends a request that nio does not have; the path follows /v3/
["timeline", ROOM]                   returns the newest 50 events, oldest first, as JSON
["marker", ROOM]                     returns the event of the marker m.fully_read
["pictures", [ROOM...]]              returns each room as nio shows it: the messages, and the state
["groups", [GROUP...]]               does the steps of groups, and returns the names of each group
[METHOD, ARGUMENT...]                calls another method of AsyncClient

A group is {"names": {NAME: TEXT}, "steps": [[NAME, USER, ACTION]...]}. A step adds its result to the
names, and arguments that equal a name stand for its text. Other actions name the result of an
earlier action by its index: {"result": N}.
"""

import asyncio
import io
import json
import logging
import sys
from urllib.parse import quote

from nio import AsyncClient, RedactedEvent, RedactionEvent, RoomPreset
from nio.responses import ErrorResponse


class Users:
    """The users who are signed in."""

    def __init__(self, homeserver, password):
        self.homeserver, self.password = homeserver, password
        self.clients, self.lock = {}, asyncio.Lock()

    async def client(self, user):
        async with self.lock:
            if user not in self.clients:
                client = AsyncClient(self.homeserver, user, device_id="NIO")
                self.clients[user] = client
                await checked(client.login(self.password))
            return self.clients[user]

    async def close(self):
        for client in self.clients.values():
            await client.close()


async def checked(call):
    answer = await call
    if isinstance(answer, ErrorResponse):
        raise RuntimeError(str(answer))
    return answer


async def do(users, client, name, *words):
    if name == "create":
        options = dict(words[0])
        if "preset" in options:
            options["preset"] = RoomPreset(options["preset"])
        return (await checked(client.room_create(**options))).room_id
    if name == "send":
        room, kind, content = words
        return (await checked(client.room_send(room, kind, content))).event_id
    if name == "state":
        room, kind, key, content = words
        return (await checked(client.room_put_state(room, kind, content, key))).event_id
    if name == "read":
        return await done(client.room_read_markers(words[0], words[1], words[1]))
    if name == "upload":
        kind, name, text = words
        data = text.encode()
        answer, _ = await client.upload(io.BytesIO(data), kind, name, filesize=len(data))
        return answer.content_uri
    if name == "request":
        return await request(client, *words)
    if name == "timeline":
        sync = await checked(client.sync(timeout=0, full_state=True))
        page = await checked(client.room_messages(words[0], sync.next_batch, limit=50))
        return [event.source for event in reversed(page.chunk)]
    if name == "marker":
        await checked(client.sync(timeout=0, full_state=True))
        return client.rooms[words[0]].fully_read_marker
    if name == "pictures":
        sync = await checked(client.sync(timeout=0, full_state=True))
        return [await picture(client, room, sync.next_batch) for room in words[0]]
    if name == "groups":
        limit = asyncio.Semaphore(6)
        return await asyncio.gather(*[group(users, limit, **each) for each in words[0]])
    return await done(getattr(client, name)(*words))


async def done(call):
    """Returns the ID of the event of an answer, if it has one."""
    return getattr(await checked(call), "event_id", None)


async def request(client, method, path, body):
    answer = await client.send(
        method,
        f"/_matrix/client/v3/{path}",
        json.dumps(body),
        {"Authorization": f"Bearer {client.access_token}", "Content-Type": "application/json"},
    )
    if answer.status != 200:
        raise RuntimeError(f"{path}: {await answer.text()}")
    return (await answer.json()).get("event_id")


async def group(users, limit, names, steps):
    async with limit:
        for label, user, action in steps:
            client = await users.client(user)
            try:
                answer = await do(users, client, *[named(word, names) for word in action])
            except Exception as error:
                raise RuntimeError(f"{json.dumps(action)}: {error}") from error
            if label:
                names[label] = answer
    return names


def named(word, names):
    if isinstance(word, str) and "/" in word and not word.startswith("mxc:"):
        parts = word.split("/")
        return "/".join(quote(names[part], "") if part in names else part for part in parts)
    if isinstance(word, str):
        return names.get(word, word)
    if isinstance(word, list):
        return [named(each, names) for each in word]
    if isinstance(word, dict):
        return {named(key, names): named(value, names) for key, value in word.items()}
    return word


async def picture(client, room, token):
    """Returns the messages and the state of a room as nio has parsed them."""
    page = await checked(client.room_messages(room, token, limit=50))
    events = [event for event in reversed(page.chunk) if "state_key" not in event.source]
    bodies = {event.event_id: event.source["content"].get("body", "?") for event in events}
    shown = client.rooms.get(room)
    receipts = shown.read_receipts if shown else {}
    state = {
        "name": shown.name or "",
        "topic": shown.topic or "",
        "avatar": shown.room_avatar_url or "",
        "encrypted": str(shown.encrypted),
        "join": shown.join_rule,
        "members": " ".join(sorted(shown.users)),
        "invited": " ".join(sorted(shown.invited_users)),
        "levels": json.dumps(shown.power_levels.users, sort_keys=True),
        "default": str(shown.power_levels.defaults.events_default),
        "read": json.dumps(
            {user: bodies.get(read.event_id, "?") for user, read in receipts.items()}, sort_keys=True
        ),
    }
    lines = [line(event, bodies) for event in events if not isinstance(event, RedactionEvent)]
    return {"messages": " | ".join(lines), "state": state}


def line(event, bodies):
    """Returns an event: its class, its text, and the texts of the events that it relates to."""
    name = type(event).__name__.removeprefix("RoomMessage").removesuffix("Event")
    if isinstance(event, RedactedEvent):
        return name
    content = event.source["content"]
    words = [name, content.get("body", "")]
    if "formatted_body" in content:
        words.append(f"html={content['formatted_body']}")
    if "info" in content:
        words.append(f"{content['info'].get('mimetype')}")
    mentions = content.get("m.mentions", {})
    words += [f"@{user}" for user in mentions.get("user_ids", [])]
    words += ["@room"] if mentions.get("room") else []
    relation = content.get("m.relates_to", {})
    kind = {"m.replace": "edits", "m.thread": "in", "m.annotation": "on"}.get(relation.get("rel_type"))
    if kind:
        words.append(f"{relation.get('key', '')} {kind} {bodies.get(relation['event_id'], '?')}")
    answered = relation.get("m.in_reply_to", {}).get("event_id")
    if answered and not relation.get("is_falling_back"):
        words.append(f"to {bodies.get(answered, '?')}")
    return " ".join(" ".join(words).split())


def resolved(word, results):
    if isinstance(word, dict):
        if word.keys() == {"result"}:
            return results[word["result"]]
        return {key: resolved(value, results) for key, value in word.items()}
    return word


async def main(homeserver, user, password):
    users = Users(homeserver, password)
    try:
        client = await users.client(user)
        results = []
        for action in json.load(sys.stdin):
            words = [resolved(word, results) for word in action]
            results.append(await do(users, client, *words))
        print(json.dumps(results))
    finally:
        await users.close()


# nio reports the events that it cannot parse.
logging.disable(logging.WARNING)
asyncio.run(main(*sys.argv[1:]))

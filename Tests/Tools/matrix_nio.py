"""Does the actions of a user with matrix-nio; Tests/Tools/matrix-nio describes the arguments.

["join", ROOM]                       joins a room
["create", {NAME: VALUE}]            creates a room with the arguments of nio, and returns its ID
["send", ROOM, TYPE, CONTENT]        sends an event, and returns its ID
["state", ROOM, TYPE, KEY, CONTENT]  sets the state of a room, and returns the ID of the event
["redact", ROOM, EVENT]              redacts an event
["read", ROOM, EVENT]                sends a read receipt, and moves the marker m.fully_read
["ban", ROOM, USER, REASON]          bans a user
["timeline", ROOM]                   returns the newest 50 events, oldest first, as JSON
["marker", ROOM]                     returns the event of the marker m.fully_read

An argument {"result": N} is the result of the action with that index.
"""

import asyncio
import json
import sys

from nio import AsyncClient, Response
from nio.responses import ErrorResponse


async def do(client, name, *words):
    if name == "join":
        return await client.join(words[0])
    if name == "create":
        return (await checked(client.room_create(**words[0]))).room_id
    if name == "send":
        room, kind, content = words
        return (await checked(client.room_send(room, kind, content))).event_id
    if name == "state":
        room, kind, key, content = words
        return (await checked(client.room_put_state(room, kind, content, key))).event_id
    if name == "redact":
        return await client.room_redact(*words)
    if name == "read":
        return await client.room_read_markers(words[0], words[1], words[1])
    if name == "ban":
        return await client.room_ban(*words)
    if name == "timeline":
        sync = await checked(client.sync(timeout=0, full_state=True))
        page = await checked(client.room_messages(words[0], sync.next_batch, limit=50))
        return [event.source for event in reversed(page.chunk)]
    if name == "marker":
        await checked(client.sync(timeout=0, full_state=True))
        return client.rooms[words[0]].fully_read_marker
    raise ValueError(name)


async def checked(call):
    answer = await call
    if isinstance(answer, ErrorResponse):
        raise RuntimeError(str(answer))
    return answer


def resolved(word, results):
    if isinstance(word, dict):
        if word.keys() == {"result"}:
            return results[word["result"]]
        return {key: resolved(value, results) for key, value in word.items()}
    return word


async def main(homeserver, user, password, actions):
    client = AsyncClient(homeserver, user, device_id="NIO")
    try:
        await checked(client.login(password))
        results = []
        for name, *words in json.loads(actions):
            answer = await do(client, name, *[resolved(word, results) for word in words])
            if isinstance(answer, ErrorResponse):
                raise RuntimeError(str(answer))
            results.append(None if isinstance(answer, Response) else answer)
        print(json.dumps(results))
    finally:
        await client.close()


asyncio.run(main(*sys.argv[1:]))

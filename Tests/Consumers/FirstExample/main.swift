import Foundation
import Scrollback

// A message as a chat server sends it. Keys that this version has no name for are kept.
let json = """
    {"message_id": 42, "channel_url": "general", "ts": 1700000000000, "message": "Hi!",
     "user": {"user_id": "alice", "nickname": "Alice"}, "mood": "sunny"}
    """
var message = try JSONDecoder().decode(Message.self, from: Data(json.utf8))

// Bob reacts. An event that comes late, or twice, changes nothing.
message.apply(
    ReactionEvent(.add, "+1", by: "bob", to: 42, in: "general", at: 1_700_000_060_000))

// A record is its bytes: protobuf, checked once, and equal where the records are.
let bytes = message.serialize()
let copy = try Message(serialized: bytes)
precondition(copy == message)
print("\(copy.sender?.nickname ?? "?"): \(copy.text) \(copy.reactions[0].key)")  // Alice: Hi! +1

let directory = ChatStore.directory(
    in: .temporaryDirectory, applicationID: "demo", userID: "alice")
let store = try ChatStore(at: directory)

// The present and the future in one call, with no crack between.
let (snapshot, changes) = try store.observe(.channel("general"))
print(try snapshot.messages(in: "general").count)  // 0 at the first run

// One batch is one atomic write, and one numbered change.
try store.write { batch in try batch.save(message) }
print(changes.drain().map(\.number))  // [1]; [] at the next run, which changes nothing

// The message is known, and nothing before or after it: the history is a gap.
print(try store.messages(in: "general", limit: 30).count)  // 1
print(try store.gaps(in: "general"))  // [general: -∞ ~ +∞]

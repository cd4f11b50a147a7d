import Foundation
import Models
import Store

// A message as a chat server sends it. Unknown keys, such as "mood", are kept.
let json = """
    {"message_id": 42, "channel_url": "general", "ts": 1700000000000, "message": "Hi!",
     "user": {"user_id": "alice", "nickname": "Alice"}, "mood": "sunny"}
    """
var message = try JSONDecoder().decode(Message.self, from: Data(json.utf8))

// Bob reacts. Applying the same event twice, or an older event, has no effect.
message.apply(
    ReactionEvent(.add, "+1", by: "bob", to: "42", in: "general", at: 1_700_000_060_000))

// The binary form is protobuf, in a canonical form: equal records have equal bytes.
let bytes = message.serialize()
let copy = try Message(serialized: bytes)
precondition(copy == message)
print("\(copy.sender?.nickname ?? "?"): \(copy.text) \(copy.reactions[0].key)")  // Alice: Hi! +1

let directory = ChatStore.directory(
    in: .temporaryDirectory, applicationID: "example", userID: "alice")
let store = try ChatStore(at: directory)

// A snapshot of the channel, and every change that follows it.
let (snapshot, changes) = try store.observe(.channel("general"))
print(try snapshot.messages(in: "general").count)  // 0 at the first run

// A batch is written atomically and reported as one numbered change.
try store.write { batch in try batch.save(message) }
print(changes.drain().map(\.number))  // [1]; [] in later runs: nothing changes

// Older and newer history is unknown, so a gap covers all of it but the message.
print(try store.messages(in: "general", limit: 30).count)  // 1
print(try store.gaps(in: "general"))  // [general: -∞ ~ +∞]

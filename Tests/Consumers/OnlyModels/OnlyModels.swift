import Models

@main struct OnlyModels {
    static func main() throws {
        let message = Message(
            id: "42", channelURL: "general", sender: Sender(id: "alice"), text: "hi",
            createdAt: 1_700_000_000_000)
        let copy = try Message(serialized: message.serialize())
        precondition(copy == message && copy.text == "hi" && copy.sender?.userID == "alice")
        print("\(copy.serializedByteCount) bytes: \(copy)")
    }
}

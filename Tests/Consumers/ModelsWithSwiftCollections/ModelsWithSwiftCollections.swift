import Models
import OrderedCollections

@main struct ModelsWithSwiftCollections {
    static func main() throws {
        let message = Message(
            id: "42", channelURL: "general", text: "hi", createdAt: 1_700_000_000_000)
        var byID: OrderedDictionary<MessageID, Message> = [:]
        byID["42"] = try Message(serialized: message.serialize())
        precondition(byID["42"] == message && byID.count == 1)
        print("OrderedDictionary \(byID)")
    }
}

import EmbeddedServer
import Foundation
import Scrollback

// Calls that a developer writes who has not read the reference. The compiler checks them.

@MainActor
func editMessages(_ collection: MessageCollection, _ message: Message) async throws {
    try await collection.send("Hello")
    try await collection.edit(message, text: "new")
    try await collection.resend(message)
    try await collection.discard(message)
    try await collection.delete(message)
    try await collection.markAsRead()
}

@MainActor
func sendFiles(_ collection: MessageCollection, _ data: Data, _ url: URL) async throws {
    let image = UploadableFile(data, name: "a.png", mimeType: "image/png")
    try await collection.send(NewMessage(files: [image]))
    try await collection.send(NewMessage("Two files", files: [image, UploadableFile(url)]))
}

@MainActor
func connect(_ client: ChatClient) async throws {
    switch try await client.connect(as: "alice") {
    case .online(let user): _ = user.nickname
    case .offline(let user, let reason): _ = (user.nickname, reason.retryAfter)
    }
    if client.connectionState == .online {}
    for await event in client.connectionEvents() { _ = event }
}

@MainActor
func openTwoAccounts(_ server: EmbeddedServer) async throws -> [ChatClient] {
    let options = ChatClientOptions(storage: .inMemory)
    let clients = ["alice", "bob"].map { _ in
        ChatClient(backend: server.client(), options: options)
    }
    try await clients[0].open(as: "alice")
    try await clients[1].open(as: "bob")
    return clients
}

@MainActor
func manageChannels(_ client: ChatClient) async throws {
    let channel = try await client.createChannel(name: "a", members: ["bob"])
    try await client.updateChannel(channel.url, name: "New")
    let size = try client.cachedDataSize()
    _ = size
}

@MainActor
func show(_ error: SyncError) -> String {
    switch error.code {
    case .notConnected: return "offline"
    default: return error.retryAfter.map { "in \($0)" } ?? error.userText
    }
}

func options() -> ChatClientOptions {
    var options = ChatClientOptions()
    options.log = { line in if line.level >= .warning { print(line.text) } }
    return options
}

struct Bookmark: Codable {
    var note: String

    static let table = StoreTable<Pair<ChannelURL, Timestamp>, Bookmark>("bookmarks")
    static let recent = StoreTable<Pair<String, Pair<Int, Bool>>, Data>("recent", home: .cached)
}

@MainActor
func bookmark(_ message: Message, _ client: ChatClient) async throws -> [String] {
    let bookmarks: RowCollection = try client.table(
        Bookmark.table, within: .beginning(with: message.channelURL), isDescending: true, limit: 50)
    try await bookmarks.put(
        Bookmark(note: message.text), for: Pair(message.channelURL, message.createdAt))
    return bookmarks.rows.map(\.value.note)
}

@MainActor
func pinChannel(_ url: ChannelURL, _ client: ChatClient) async throws {
    try await client.setLabels(ChannelLabels(["pinned"], sortKey: "1"), of: url)
    var query = GroupChannelListQuery()
    query.labelListedFirst = "pinned"
    try client.makeGroupChannelCollection(query).start()
}

import EmbeddedServer
import Models
import Sync

extension EmbeddedClient {
    /// Returns all messages of a channel on the server, oldest first.
    func history(of url: ChannelURL) async throws(BackendError) -> [Message] {
        var messages: [Message] = []
        var anchor = MessageAnchor.newest
        while true {
            let page = try await self.messages(in: url, at: anchor, older: 100, newer: 0)
            messages += page.messages
            guard let older = page.older else { break }
            anchor = .cursor(older)
        }
        return messages.compactMap { message in message.position.map { ($0, message) } }
            .sorted { $0.0 < $1.0 }.map(\.1)
    }
}

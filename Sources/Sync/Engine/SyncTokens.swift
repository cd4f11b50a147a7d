import Foundation
package import Models
package import Store

/// Where the feed goes on, as it is stored in the batch that holds what came before it.
package struct FeedToken: Hashable {
    var point: FeedPoint
    var epoch: ServerEpoch

    /// The number, the length of the epoch, the epoch, the cursor.
    ///
    /// DO NOT CHANGE: on disk.
    package var bytes: [UInt8] {
        Array("\(point.number) \(epoch.rawValue.utf8.count) \(epoch)\(point.cursor)".utf8)
    }

    init(_ point: FeedPoint, _ epoch: ServerEpoch) {
        self.point = point
        self.epoch = epoch
    }

    /// - Returns: `nil` if these are not the bytes of a token.
    package init?(bytes: [UInt8]) {
        let parts = bytes.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let number = Int64(String(decoding: parts[0], as: UTF8.self)),
            let length = Int(String(decoding: parts[1], as: UTF8.self)),
            (0...parts[2].count).contains(length),
            let epoch = parts[2].prefix(length).withUnsafeBytes(String.init(validUTF8:)),
            let cursor = parts[2].dropFirst(length).withUnsafeBytes(String.init(validUTF8:))
        else { return nil }
        self.init(FeedPoint(FeedCursor(cursor), number: number), ServerEpoch(epoch))
    }
}

// The scopes of the engine's tokens. DO NOT CHANGE: on disk.
private enum Scope {
    static let feed = "feed"
    static let epoch = "epoch"
    static let losses = "losses"
    static let channelList = "list"
    static let user = "user"
    static let appInfo = "app"
    static let unread = "unread"
    static let channelChangelog = "channels"
    static func untold(in url: ChannelURL) -> String { "untold \(url)" }
    static func messageChangelog(of url: ChannelURL) -> String { "messages \(url)" }
}

extension StoreReader {
    /// Where the feed goes on; `nil` if it begins anew, or the token cannot be read.
    func feed() throws(StoreError) -> FeedToken? {
        try token(Scope.feed).flatMap { FeedToken(bytes: $0) }
    }

    /// Which history of the server was the last to be followed; `nil` if none was.
    func lastEpoch() throws(StoreError) -> ServerEpoch? {
        if let token = try feed() { return token.epoch }
        return try text(Scope.epoch).map { ServerEpoch($0) }
    }

    /// How often the engine has lost track of the server's history.
    func lossCount() throws(StoreError) -> Int64 {
        try text(Scope.losses).flatMap { Int64($0) } ?? 0
    }

    /// Whether all group channels of the user are held: the feed has told all there were once, and goes
    /// on from there.
    package func hasAllChannels() throws(StoreError) -> Bool {
        try token(Scope.channelList) != nil
    }

    /// Who was let in last; `nil` if nobody was.
    ///
    /// - Throws: ``/Store/StoreError`` with code `corruption` if it cannot be read: then nobody knows
    ///   whose all of this is.
    package func storedUser() throws(StoreError) -> User? {
        guard let bytes = try token(Scope.user) else { return nil }
        do {
            return try User(serialized: bytes)
        } catch {
            throw StoreError(.corruption, "the store's user is damaged", path: "", cause: error)
        }
    }

    /// What the server said of the application; `nil` if it said nothing, or it cannot be read.
    func storedAppInfo() throws(StoreError) -> AppInfo? {
        try token(Scope.appInfo).flatMap { try? AppInfo(serialized: $0) }
    }

    /// How much the user had not seen, as it was last told; `nil` if nobody said, or it cannot be read.
    func storedUnreadCount() throws(StoreError) -> UnreadItemCount? {
        try token(Scope.unread).flatMap { try? UnreadItemCount(serialized: $0) }
    }

    /// From where the changelog of channels goes on, if somebody asked for it.
    func channelChangelogToken() throws(StoreError) -> String? {
        try text(Scope.channelChangelog)
    }

    /// The oldest message of those that are held and that the feed has yet to tell.
    func untold(of url: ChannelURL) throws(StoreError) -> Position? {
        guard let bytes = try token(Scope.untold(in: url)) else { return nil }
        let parts = bytes.split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(String(decoding: parts[0], as: UTF8.self)) else {
            return nil
        }
        return Position(
            createdAt: Timestamp(milliseconds: time),
            messageID: MessageID(String(decoding: parts[1], as: UTF8.self)))
    }

    /// From where the changelog of a channel's messages goes on, if it was read to its end.
    func messageChangelogToken(of url: ChannelURL) throws(StoreError) -> String? {
        try text(Scope.messageChangelog(of: url))
    }

    private func text(_ scope: String) throws(StoreError) -> String? {
        try token(scope).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension Batch {
    func setFeed(_ token: FeedToken?) { setToken(token?.bytes, for: Scope.feed) }

    /// Notes which history of the server it was, for as long as there is no token that says it.
    func setLastEpoch(_ epoch: ServerEpoch?) {
        setText(epoch?.rawValue, for: Scope.epoch)
    }

    func setLossCount(_ count: Int64) { setText("\(count)", for: Scope.losses) }

    // Nothing, if it is so; DO NOT CHANGE: on disk.
    func setHasAllChannels(_ hasAll: Bool) { setToken(hasAll ? [] : nil, for: Scope.channelList) }

    func setUser(_ user: User) { setToken(Array(user.serialize()), for: Scope.user) }

    func setAppInfo(_ info: AppInfo?) {
        setToken(info.map { Array($0.serialize()) }, for: Scope.appInfo)
    }

    func setUnreadCount(_ count: UnreadItemCount) {
        setToken(Array(count.serialize()), for: Scope.unread)
    }

    func setChannelChangelogToken(_ token: String?) {
        setText(token, for: Scope.channelChangelog)
    }

    // Time and id. DO NOT CHANGE: on disk.
    func setUntold(_ position: Position?, of url: ChannelURL) {
        setText(
            position.map { "\($0.createdAt.milliseconds) \($0.messageID)" },
            for: Scope.untold(in: url))
    }

    func setMessageChangelogToken(_ token: String?, of url: ChannelURL) {
        setText(token, for: Scope.messageChangelog(of: url))
    }

    private func setText(_ text: String?, for scope: String) {
        setToken(text.map { Array($0.utf8) }, for: scope)
    }
}

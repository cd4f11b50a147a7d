import Foundation
package import Models
package import Store

/// The point at which the feed resumes, stored together with the events before it.
package struct FeedToken: Hashable {
    var point: FeedPoint
    var epoch: ServerEpoch
    /// The device's time of the last request whose answer contained all events up to that time.
    var requestedAt: Timestamp

    /// The number of the token, the time of the request in milliseconds, the length of the epoch,
    /// the epoch and the cursor.
    ///
    /// On-disk format, DO NOT CHANGE.
    package var bytes: [UInt8] {
        let length = epoch.rawValue.utf8.count
        return Array(
            "\(point.number) \(requestedAt.milliseconds) \(length) \(epoch)\(point.cursor)".utf8)
    }

    init(_ point: FeedPoint, _ epoch: ServerEpoch, requestedAt: Timestamp) {
        self.point = point
        self.epoch = epoch
        self.requestedAt = requestedAt
    }

    package init?(bytes: [UInt8]) {
        let parts = bytes.split(separator: 0x20, maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, let number = Int64(String(decoding: parts[0], as: UTF8.self)),
            let time = Int64(String(decoding: parts[1], as: UTF8.self)),
            let length = Int(String(decoding: parts[2], as: UTF8.self)),
            (0...parts[3].count).contains(length),
            let epoch = parts[3].prefix(length).withUnsafeBytes(String.init(validUTF8:)),
            let cursor = parts[3].dropFirst(length).withUnsafeBytes(String.init(validUTF8:))
        else { return nil }
        self.init(
            FeedPoint(FeedCursor(cursor), number: number), ServerEpoch(epoch),
            requestedAt: Timestamp(milliseconds: time))
    }
}

/// The server epoch before the last one, and the losses after which stale ranges may have its
/// messages.
package struct FormerEpoch: Hashable {
    var epoch: ServerEpoch
    var losses: ClosedRange<Int64>

    /// The first and the last loss, and the epoch.
    ///
    /// On-disk format, DO NOT CHANGE.
    package var bytes: [UInt8] { Array("\(losses.lowerBound) \(losses.upperBound) \(epoch)".utf8) }

    init(_ epoch: ServerEpoch, losses: ClosedRange<Int64>) {
        self.epoch = epoch
        self.losses = losses
    }

    package init?(bytes: [UInt8]) {
        let parts = bytes.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 3, let first = Int64(parts[0]), let last = Int64(parts[1]),
            first <= last
        else { return nil }
        self.init(ServerEpoch(parts[2]), losses: first...last)
    }
}

// The scopes under which the store keeps the engine's tokens. On-disk format, DO NOT CHANGE.
private enum Scope {
    static let feed = "feed"
    static let epoch = "epoch"
    static let formerEpoch = "former"
    static let losses = "losses"
    static let channelList = "list"
    static let user = "user"
    static let appInfo = "app"
    static let channelChangelog = "channels"
    static func unreported(in url: ChannelURL) -> String { "unreported \(url)" }
    static func messageChangelog(of url: ChannelURL) -> String { "messages \(url)" }
}

extension ChatStore {
    /// Records the owner of a store with an empty cache, who may then use it offline.
    package func recordOwner(_ user: User) throws(StoreError) {
        do {
            try write { $0.setUser(user) }
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("The closure throws only errors of the store.")
        }
    }
}

extension StoreReader {
    func feedToken() throws(StoreError) -> FeedToken? {
        try token(Scope.feed) { FeedToken(bytes: $0) }
    }

    /// Returns the device's time of the request for the feed's last complete answer, minus
    /// `clockDifference`; `nil` if there was none.
    package func lastFeedRequest(
        earlierBy clockDifference: Duration
    ) throws(StoreError) -> Timestamp? {
        try feedToken()?.requestedAt.earlier(by: clockDifference)
    }

    func lastEpoch() throws(StoreError) -> ServerEpoch? {
        if let token = try feedToken() { return token.epoch }
        return try text(Scope.epoch).map { ServerEpoch($0) }
    }

    /// `nil` if the server's history was never rolled back.
    func formerEpoch() throws(StoreError) -> FormerEpoch? {
        try token(Scope.formerEpoch) { FormerEpoch(bytes: $0) }
    }

    /// Returns a counter that increases whenever stored history becomes stale or is cleared.
    func lossCount() throws(StoreError) -> Int64 {
        // The row of a plain store may contain any number.
        try token(Scope.losses) { Int64(String(decoding: $0, as: UTF8.self)) }
            .map { min($0, .max / 2) } ?? 0
    }

    /// Returns whether the feed has reported the whole list of the user's group channels.
    package func hasAllChannels() throws(StoreError) -> Bool {
        try token(Scope.channelList) != nil
    }

    /// Returns the user who was connected last.
    package func storedUser() throws(StoreError) -> User? {
        try token(Scope.user) { try User(serialized: $0) }
    }

    func storedAppInfo() throws(StoreError) -> AppInfo? {
        try token(Scope.appInfo) { try AppInfo(serialized: $0) }
    }

    func channelChangelogToken() throws(StoreError) -> String? {
        try text(Scope.channelChangelog)
    }

    func unreported(of url: ChannelURL) throws(StoreError) -> Position? {
        try token(Scope.unreported(in: url)) { bytes in
            let parts = bytes.split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let time = Int64(String(decoding: parts[0], as: UTF8.self))
            else { return nil }
            return Position(
                createdAt: Timestamp(milliseconds: time),
                messageID: MessageID(String(decoding: parts[1], as: UTF8.self)))
        }
    }

    func messageChangelogToken(of url: ChannelURL) throws(StoreError) -> String? {
        try text(Scope.messageChangelog(of: url))
    }

    private func text(_ scope: String) throws(StoreError) -> String? {
        try token(scope).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Throws `corruption` if the token cannot be decoded.
    private func token<Value>(
        _ scope: String, decode: ([UInt8]) throws -> Value?
    ) throws(StoreError) -> Value? {
        guard let bytes = try token(scope) else { return nil }
        var cause: (any Error)?
        do {
            if let value = try decode(bytes) { return value }
        } catch {
            cause = error
        }
        throw try view.recordingDamage("the token \"\(scope)\" is damaged", cause: cause)
    }
}

extension Batch {
    func setFeedToken(_ token: FeedToken?) { setToken(token?.bytes, for: Scope.feed) }

    /// Sets the epoch of the stored data while no feed token contains it.
    func setLastEpoch(_ epoch: ServerEpoch?) {
        setText(epoch?.rawValue, for: Scope.epoch)
    }

    func setFormerEpoch(_ former: FormerEpoch?) {
        setToken(former?.bytes, for: Scope.formerEpoch)
    }

    func setLossCount(_ count: Int64) { setText("\(count)", for: Scope.losses) }

    // An empty token means true, and a missing token means false. On-disk format, DO NOT CHANGE.
    func setHasAllChannels(_ hasAll: Bool) { setToken(hasAll ? [] : nil, for: Scope.channelList) }

    func setUser(_ user: User) { setToken(Array(user.serialize()), for: Scope.user) }

    func setAppInfo(_ info: AppInfo?) {
        setToken(info.map { Array($0.serialize()) }, for: Scope.appInfo)
    }

    func setChannelChangelogToken(_ token: String?) {
        setText(token, for: Scope.channelChangelog)
    }

    // The token consists of the position's time and message ID. On-disk format, DO NOT CHANGE.
    func setUnreported(_ position: Position?, of url: ChannelURL) {
        setText(
            position.map { "\($0.createdAt.milliseconds) \($0.messageID)" },
            for: Scope.unreported(in: url))
    }

    func setMessageChangelogToken(_ token: String?, of url: ChannelURL) {
        setText(token, for: Scope.messageChangelog(of: url))
    }

    private func setText(_ text: String?, for scope: String) {
        setToken(text.map { Array($0.utf8) }, for: scope)
    }
}

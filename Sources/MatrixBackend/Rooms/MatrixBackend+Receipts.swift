import Models

// A receipt names an event; its own time is only the time of reading.
extension MatrixBackend {
    /// The maximum number of receipts whose events are requested; earlier ones are ignored.
    private static let maximumReceiptCount = 20
    /// The difference between the clocks of homeservers up to which a later event counts.
    private static let clockDifference = Duration.seconds(300)

    /// Returns the readers, oldest first, with a request for each unknown event.
    ///
    /// Receipts whose events the server does not return stay open in the list, and later batches
    /// request them again: any member can send a receipt for an event that does not exist, and
    /// nothing must wait for it. Throws only if the list lacks the room, for some attempts.
    func readers(
        of receipts: [SyncReply.Receipt], in room: String
    ) async throws(BackendError) -> [(user: String, time: Timestamp)] {
        var receipts = receipts
        let pause = Self.receiptsName(of: room)
        var isAnswered = !isUnanswered(pause)
        do throws(BackendError) {
            if isAnswered { try await requestEvents(of: receipts, in: room) }
        } catch  where Self.failuresOfRoom.contains(error.code) {
            guard recordUnanswered(pause) || list.rooms[room] != nil else { throw error }
            isAnswered = false
        }
        if !isAnswered {
            if !unreportedReaders.contains(room) { unreportedReaders.append(room) }
            receipts.removeAll { eventTimes[$0.eventID] == nil }
        }
        let readers = knownReaders(of: receipts)
        list.rooms[room]?.resolve(receipts, readers, me: try me.rawValue)
        return readers
    }

    /// The name of the room's receipts among the rooms that are not answered: other requests for
    /// the room continue.
    private static func receiptsName(of room: String) -> String { "receipts of \(room)" }

    /// The event of the user's own receipt comes first, so that the limit never omits it.
    private func requestEvents(
        of receipts: [SyncReply.Receipt], in room: String
    ) async throws(BackendError) {
        let me = try me.rawValue
        let newestFirst = receipts.sorted { $0.time > $1.time }
        var unknown: [String] = []
        for receipt in newestFirst.filter({ $0.user == me }) + newestFirst
        where eventTimes[receipt.eventID] == nil && !unknown.contains(receipt.eventID) {
            unknown.append(receipt.eventID)
            if unknown.count == Self.maximumReceiptCount { break }
        }
        _ = try await concurrently(unknown) { id throws(BackendError) in
            do throws(BackendError) { _ = try await self.event(id, in: room) } catch
                where error.detail == .malformedData
            {
                // The receipt names an event that cannot be read.
            }
        }
    }

    private func knownReaders(
        of receipts: [SyncReply.Receipt]
    ) -> [(user: String, time: Timestamp)] {
        // The sender's server may choose a time in the future for an event. The user has read no
        // messages that arrived after the time of reading.
        let now = options.now()
        return receipts.compactMap { receipt in
            let latest =
                receipt.time > 0 ? receipt.time.advanced(by: Self.clockDifference) : now
            return eventTimes[receipt.eventID].map { (receipt.user, min($0, latest)) }
        }.sorted { ($0.time, $0.user) < ($1.time, $1.user) }
    }

    /// Returns the readers that the list keeps; while it lacks the room, the latest ones and the
    /// user.
    ///
    /// Another server can send receipts of any number of users.
    func kept(
        _ readers: [(user: String, time: Timestamp)], in room: String
    ) throws(BackendError) -> [(user: String, time: Timestamp)] {
        if let known = list.rooms[room]?.readAt {
            return readers.filter { known[$0.user] != nil }
        }
        let me = try me.rawValue
        let others = readers.filter { $0.user != me }.suffix(WireLimit.members)
        return readers.filter { $0.user == me } + others
    }

    func resolveReceipts(of room: String) async throws(BackendError) {
        let receipts = list.rooms[room].map { Array($0.openReceipts.values) } ?? []
        if !receipts.isEmpty { _ = try await readers(of: receipts, in: room) }
    }

    private static let roomsOfABatch = 20

    private func hasOpenReceipts(_ room: String) -> Bool {
        !(list.rooms[room]?.openReceipts.isEmpty ?? true)
    }

    private var roomsWithLateReaders: [String] {
        unreportedReaders.filter { !isUnanswered(Self.receiptsName(of: $0)) }
    }

    var hasLateReaders: Bool { !roomsWithLateReaders.isEmpty }

    /// Resolves the receipts of the newest rooms, and leaves the others to later batches.
    func resolveNewestReceipts(of rooms: [String]) async throws(BackendError) {
        _ = try await concurrently(Array(rooms.prefix(Self.roomsOfABatch))) {
            room throws(BackendError) in try await self.resolveReceipts(of: room)
        }
        unreportedReaders = rooms.filter(hasOpenReceipts)
    }

    func lateReaders() async throws(BackendError) -> [FeedEvent] {
        let rooms = Array(roomsWithLateReaders.prefix(Self.roomsOfABatch))
        _ = try await concurrently(rooms) { room throws(BackendError) in
            try await self.resolveReceipts(of: room)
        }
        unreportedReaders.removeAll { rooms.contains($0) && !hasOpenReceipts($0) }
        return rooms.flatMap { room in
            (list.rooms[room]?.readAt ?? [:]).sorted { $0.key < $1.key }.map {
                FeedEvent.read(by: UserID($0.key), in: ChannelURL(room), at: $0.value)
            }
        }
    }
}

public import Models

/// What became of something that the user wrote.
public enum DraftFate: Hashable, Sendable {
    /// The server has it: the message, as it was sent or edited.
    case sent(Message)
    /// The server has done it: a message was deleted, a reaction given or taken back.
    case done
    /// The server refused it, or it was given up; the draft says why, and may be sent again.
    case failed(Draft)
    /// It is not sent any more: its user took it back, or what it was for is not there.
    case canceled
    /// Nobody knows any more: it ended long ago, or before this process began, or never was.
    case unknown
}

/// What became of the drafts that ended last, for who asks after the end.
struct LastFates {
    private var fates: [RequestID: DraftFate] = [:]
    private var ids: [RequestID] = []
    /// The place of the one that goes next, once there are as many as there may be.
    private var oldest = 0

    /// How many are kept.
    static let limit = 1000

    subscript(id: RequestID) -> DraftFate? { fates[id] }

    mutating func note(_ fate: DraftFate, of id: RequestID) {
        guard fates.updateValue(fate, forKey: id) == nil else { return }
        guard ids.count == LastFates.limit else { return ids.append(id) }
        fates[ids[oldest]] = nil
        ids[oldest] = id
        oldest = (oldest + 1) % LastFates.limit
    }
}

public import Models

/// A point in a channel's history to read from.
public enum HistoryAnchor: Hashable, Sendable {
    /// Before the first message.
    case oldest
    /// A time; several messages may share it.
    case time(Timestamp)
    /// A message, whether or not it is there.
    case position(Position)
    /// After the last message.
    case newest
}

// MARK: As keys

extension HistoryAnchor {
    func key(
        in number: ChannelNumber, includingIt isInclusive: Bool, towardsOlder: Bool
    ) -> KeyBytes? {
        key(
            behind: ByteWriter.key { $0.table(.message, number) }, includingIt: isInclusive,
            towardsOlder: towardsOlder)
    }

    /// The key where a walk begins; `nil` if nothing lies there.
    ///
    /// Towards what is older, the first one it meets; towards what is newer, the one behind the
    /// first. Keys are newest first, so older is forward.
    func key(
        behind prefix: KeyBytes, includingIt isInclusive: Bool, towardsOlder: Bool
    ) -> KeyBytes? {
        func key(_ write: (inout ByteWriter) -> Void) -> KeyBytes {
            ByteWriter.key {
                $0.raw(prefix)
                $0.descending(write)
            }
        }
        switch self {
        case .newest: return towardsOlder ? prefix : nil
        case .oldest: return towardsOlder ? nil : prefix.successorOfPrefix
        case .time(let time):
            // What was created at one time, and nothing else, begins with the time's bytes.
            let atTime = key { $0.timestamp(time) }
            return towardsOlder == isInclusive ? atTime : atTime.successorOfTime(behind: prefix)
        case .position(let position):
            let atPosition = key { $0.position(position) }
            // The next key in byte order is the same with a zero byte.
            return towardsOlder == isInclusive ? atPosition : atPosition + [0]
        }
    }
}

extension KeyBytes {
    /// The first key behind all of the same time: the end of the table for the oldest time.
    fileprivate func successorOfTime(behind prefix: KeyBytes) -> KeyBytes {
        suffix(from: prefix.count).allSatisfy { $0 == 0xFF }
            ? prefix.successorOfPrefix : successorOfPrefix
    }
}

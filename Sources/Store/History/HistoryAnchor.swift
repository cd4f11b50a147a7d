public import Models

/// A position in a channel's history from which to read.
public enum HistoryAnchor: Hashable, Sendable {
    /// The oldest end of the history.
    case oldest
    /// A time, which several messages may share.
    case time(Timestamp)
    /// The position of a message, which need not exist.
    case position(Position)
    /// The newest end of the history.
    case newest
}

// MARK: As keys

extension HistoryAnchor {
    /// Returns the range of the keys, newest first, on one side of the anchor.
    func keys(behind prefix: KeyBytes, isOlder: Bool, _ isInclusive: Bool) -> KeyRange {
        var range = KeyRange(prefix: prefix)
        let key = bound(behind: prefix, isBeforeAnchor: isOlder == isInclusive)
        if isOlder { range.lower = key } else { range.upper = key }
        return range
    }

    /// Returns the lowest key of a message at the anchor, or the lowest one after all such keys.
    private func bound(behind prefix: KeyBytes, isBeforeAnchor: Bool) -> KeyBytes {
        func key(_ write: (inout ByteWriter) -> Void) -> KeyBytes {
            ByteWriter.key {
                $0.raw(prefix)
                $0.descending(write)
            }
        }
        switch self {
        case .newest: return prefix
        case .oldest: return prefix.successorOfPrefix
        case .time(let time):
            let atTime = key { $0.timestamp(time) }
            return isBeforeAnchor ? atTime : atTime.successorOfTime(behind: prefix)
        case .position(let position):
            let atPosition = key { $0.position(position) }
            // A zero byte makes the next possible key.
            return isBeforeAnchor ? atPosition : atPosition + [0]
        }
    }
}

extension KeyBytes {
    /// The first key after all keys of the same time; for the oldest time, the end of the table.
    fileprivate func successorOfTime(behind prefix: KeyBytes) -> KeyBytes {
        suffix(from: prefix.count).allSatisfy { $0 == 0xFF }
            ? prefix.successorOfPrefix : successorOfPrefix
    }
}

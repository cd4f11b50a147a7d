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
    func key(
        in number: ChannelNumber, includingIt isInclusive: Bool, towardsOlder: Bool
    ) -> KeyBytes? {
        key(
            behind: ByteWriter.key { $0.table(.message, number) }, includingIt: isInclusive,
            towardsOlder: towardsOlder)
    }

    /// Returns the key at which a scan starts; `nil` if the range is empty.
    ///
    /// Keys are ordered newest first. A scan toward older messages is therefore ascending and
    /// begins with this key. A scan toward newer messages is descending and begins with the key
    /// before this one.
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
            // The keys of all messages of a time have the bytes of the time as their prefix.
            let atTime = key { $0.timestamp(time) }
            return towardsOlder == isInclusive ? atTime : atTime.successorOfTime(behind: prefix)
        case .position(let position):
            let atPosition = key { $0.position(position) }
            // A key with an additional zero byte is the next key in byte order.
            return towardsOlder == isInclusive ? atPosition : atPosition + [0]
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

import Models

extension AnyChannel {
    var table: Table {
        switch self {
        case .group: .groupChannel
        case .open: .openChannel
        }
    }
}

/// A type of channel that lists contain.
protocol ListedChannel: Channel {
    /// Creates a channel of this type; returns `nil` if `channel` is of the other type.
    init?(of channel: AnyChannel)
    var ofAnyKind: AnyChannel { get }
}

extension GroupChannel: ListedChannel {
    init?(of channel: AnyChannel) {
        guard case .group(let channel) = channel else { return nil }
        self = channel
    }

    var ofAnyKind: AnyChannel { .group(self) }
}

extension OpenChannel: ListedChannel {
    init?(of channel: AnyChannel) {
        guard case .open(let channel) = channel else { return nil }
        self = channel
    }

    var ofAnyKind: AnyChannel { .open(self) }
}

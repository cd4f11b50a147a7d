import Models

extension AnyChannel {
    var table: Table {
        switch self {
        case .group: .groupChannel
        case .open: .openChannel
        }
    }
}

protocol ListedChannel: Channel {
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

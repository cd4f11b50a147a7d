import Models

/// A channel of either kind.
enum AnyChannel: Sendable {
    case group(GroupChannel)
    case open(OpenChannel)
}

extension AnyChannel {
    var table: Table {
        switch self {
        case .group: .groupChannel
        case .open: .openChannel
        }
    }
}

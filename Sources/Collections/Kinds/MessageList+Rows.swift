public import Models
import Store

extension MessageList {
    /// A message of a list.
    public struct Row: Hashable, Sendable, Identifiable {
        /// The identity of a row.
        public struct ID: Hashable, Sendable {
            package let channelURL: ChannelURL
            package let messageID: MessageID
        }

        /// The message.
        public let message: Message

        /// The replies to the message, in a list of threads; otherwise `nil`.
        public let thread: Thread?

        init(_ message: Message, _ thread: Thread? = nil) {
            self.message = message
            self.thread = thread
        }

        /// The identity of the row.
        public var id: ID {
            ID(channelURL: message.channelURL, messageID: message.messageID ?? "")
        }
    }

    struct Place: Comparable {
        let bound: Gap.Bound
        /// The channel of a message; `nil` for a gap.
        let url: String?

        static func message(_ message: Message, _ order: Order) -> Place {
            Place(
                bound: Gap.Bound(
                    order == .lastReplyFirst ? message.lastReplyPosition : message.position),
                url: message.channelURL.rawValue)
        }

        static func gap(below bound: Gap.Bound) -> Place { Place(bound: bound, url: nil) }

        static func < (left: Place, right: Place) -> Bool {
            if left.bound != right.bound { return left.bound > right.bound }
            guard let url = left.url, let other = right.url else { return left.url != nil }
            return url.utf8.lexicographicallyPrecedes(other.utf8)
        }
    }
}

extension MessageList.Row: ListRow {
    var rowID: ID { id }
}

extension Gap.Bound {
    init(of message: Message) { self.init(message.position) }

    init(_ position: Position?) { self = position.map { .position($0) } ?? .beginning }
}

public import Models

/// Marks a channel as read, by default up to the current time.
public struct MarkAsRead: OfflineRequest {
    /// Nothing.
    public typealias Answer = Void

    /// The declaration.
    public static let declaration = CallDeclaration(
        "markAsRead", "Marks a channel as read.", needs: .readReceipts,
        promises: [
            BackendPromise(
                "read.reported",
                "The feed reports the receipt to the members, and the user's unread count becomes 0."
            )
        ])

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// The time of the newest message that is marked; `nil` for the current time.
    ///
    /// The engine sets it if the request waits in the outbox, so that messages of that period are
    /// not marked. A receipt never moves an earlier one back.
    public var upTo: Timestamp?

    /// The ID of that message; `nil` if it is unknown.
    ///
    /// A server whose messages may have wrong times needs it. The engine sets it with ``upTo``.
    public var messageID: MessageID?

    /// Creates a request.
    public init(_ channelURL: ChannelURL, upTo: Timestamp? = nil) {
        self.channelURL = channelURL
        self.upTo = upTo
    }

    /// Limits the receipt to the messages that this device has.
    public mutating func waits(since newest: Position?) {
        guard upTo == nil else { return }
        (upTo, messageID) = (newest?.createdAt, newest?.messageID)
    }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> MarkAsRead {
        MarkAsRead(names.channelURL)
    }
}

/// Marks a message and all newer ones of its channel as unread.
///
/// The server throws `notFound` if the message does not exist.
public struct MarkAsUnread: MessageRequest, ChannelCall {
    /// Nothing.
    public typealias Answer = Void

    /// The declaration.
    public static let declaration = CallDeclaration(
        "markAsUnread", "Marks a message and all newer ones of its channel as unread.",
        needs: .markingAsUnread,
        promises: [
            BackendPromise(
                "unread.reported",
                "The feed reports two facts to the user's devices: the user has read the messages "
                    + "before this one, and the unread count includes this message and all newer ones "
                    + "of other users.")
        ])

    /// The message's ID.
    public var messageID: MessageID

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// The message's epoch.
    public var epoch: ServerEpoch?

    /// Creates a request.
    public init(from messageID: MessageID, in channelURL: ChannelURL, epoch: ServerEpoch? = nil) {
        self.messageID = messageID
        self.channelURL = channelURL
        self.epoch = epoch
    }

    /// The named message.
    public var message: (id: MessageID, channelURL: ChannelURL)? { (messageID, channelURL) }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> MarkAsUnread {
        MarkAsUnread(from: names.messageID, in: names.channelURL)
    }
}

/// Marks the messages of a channel as delivered to this device, by default up to the current time.
public struct MarkAsDelivered: OfflineRequest {
    /// Nothing.
    public typealias Answer = Void

    /// The declaration.
    public static let declaration = CallDeclaration(
        "markAsDelivered", "Marks the messages of a channel as delivered to this device.",
        needs: .deliveryReceipts,
        promises: [
            BackendPromise("delivered.reported", "The feed reports the receipt to the members.")
        ])

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// The time of the newest message that is marked, as in ``MarkAsRead/upTo``.
    public var upTo: Timestamp?

    /// Creates a request.
    public init(_ channelURL: ChannelURL, upTo: Timestamp? = nil) {
        self.channelURL = channelURL
        self.upTo = upTo
    }

    /// Limits the receipt to the messages that this device has.
    public mutating func waits(since newest: Position?) { upTo = upTo ?? newest?.createdAt }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> MarkAsDelivered {
        MarkAsDelivered(names.channelURL)
    }
}

/// Reports whether the user is typing.
///
/// The server ends the typing of a user who sends a message, leaves the channel or disconnects. The
/// engine also ends it when its own connection ends, and after ``SyncOptions/typingTimeout``
/// without another report, because the server may not notice that a device has lost the network.
/// While a user continues typing, the client repeats the request at most once in each interval of
/// its `typingThrottle`. If the server has no timeout of its own, let the feed repeat the report
/// from time to time.
public struct SetTyping: BackendRequest, ChannelCall {
    /// Nothing.
    public typealias Answer = Void

    /// The declaration.
    public static let declaration = CallDeclaration(
        "setTyping", "Reports whether the user is typing.", needs: .typing,
        promises: [
            BackendPromise(
                "typing.reported", "The feed reports the typing users to connected members.")
        ])

    /// Whether the user is typing.
    public var isTyping: Bool

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// Creates a request.
    public init(_ isTyping: Bool, in channelURL: ChannelURL) {
        self.isTyping = isTyping
        self.channelURL = channelURL
    }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> SetTyping {
        SetTyping(true, in: names.channelURL)
    }
}

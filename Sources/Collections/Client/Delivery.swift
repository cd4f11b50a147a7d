public import Models
public import Sync

/// The delivery of an outbox item to the server.
///
/// The item is sent whether or not the app keeps this value.
public struct Delivery: Sendable {
    /// The request ID of the outbox item, for ``ChatClient/cancel(_:)`` and
    /// ``ChatClient/resend(_:replacing:)``.
    public let requestID: RequestID

    /// The channel's URL.
    public let channelURL: ChannelURL

    let engine: SyncEngine

    /// The result of the delivery, once the server has answered, or the item has failed or was
    /// canceled.
    ///
    /// Without a connection, awaiting the result waits for one; cancel the task to stop waiting.
    /// After a failure, ``ChatClient/resend(_:replacing:)`` returns a new delivery.
    ///
    /// - Throws: `canceled` if the task is canceled, `closed` if the user's session ends before the
    ///   result is known, or `store`.
    public var result: DeliveryResult {
        get async throws(SyncError) {
            try await engine.deliveryResult(of: requestID, in: channelURL)
        }
    }
}

/// A message that the user has sent, and its delivery.
public struct OutgoingMessage: Sendable {
    /// The message when the call returned: pending, with its request ID.
    public let message: Message

    /// The delivery to the server.
    public let delivery: Delivery

    /// The result of the delivery, as in ``Delivery/result``.
    public var result: DeliveryResult {
        get async throws(SyncError) { try await delivery.result }
    }

    init(_ message: Message, _ engine: SyncEngine) {
        self.message = message
        delivery = Delivery(
            requestID: message.requestID ?? "", channelURL: message.channelURL, engine: engine)
    }
}

extension MessageReference {
    /// Creates a reference to `message` from its ID or, without one, its request ID; throws
    /// `invalidArgument` without both.
    init(_ message: Message) throws(SyncError) {
        guard let reference = MessageReference(message) as MessageReference? else {
            throw SyncError(
                .invalidArgument,
                "the message has neither an id nor a request id, so it cannot be identified")
        }
        self = reference
    }
}

public import Models
public import Sync

/// A change of the user on its way to the server: an edit, a deletion or a reaction.
///
/// The change is on disk and in all lists. It is sent whether or not this value is kept.
public struct Delivery: Sendable {
    /// The request ID of the outbox item, for ``ChatClient/cancel(_:)`` and
    /// ``ChatClient/resend(_:replacing:)``.
    public let requestID: RequestID

    /// The URL of the channel.
    public let channelURL: ChannelURL

    let engine: SyncEngine

    /// The result, as soon as it is known: after the server's answer, or when the item has failed
    /// or was canceled.
    ///
    /// Awaiting it without a connection waits until there is one; cancel the task to stop waiting.
    /// After a failure, ``ChatClient/resend(_:replacing:)`` returns a new delivery.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `canceled` if the task is canceled, `closed` if the
    ///   user's session ends before the result is known, or `store`.
    public var result: DeliveryResult {
        get async throws(SyncError) {
            try await engine.deliveryResult(of: requestID, in: channelURL)
        }
    }
}

/// A message that the user has written, on its way to the server.
///
/// The message is on disk and in all lists. It is sent whether or not this value is kept.
public struct OutgoingMessage: Sendable {
    /// The message as lists show it now: pending, with its request ID.
    public let message: Message

    /// The delivery to the server.
    public let delivery: Delivery

    /// The result of the delivery, as ``Delivery/result``.
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
    /// - Throws: ``SyncError`` with code `invalidArgument` if the message has neither an ID nor
    ///   a request ID.
    init(_ message: Message) throws(SyncError) {
        guard let reference = MessageReference(message) as MessageReference? else {
            throw SyncError(
                .invalidArgument,
                "the message has neither an id nor a request id, so it cannot be identified")
        }
        self = reference
    }
}

public import Models

/// An operation of the server that the engine itself does not need, such as freezing a channel.
///
/// A request declares its parameters and its answer, what a backend promises when it supports the
/// request, and the effect on the cache. A backend supports a request by registering a handler: see
/// ``Backend/requests``. An app runs a request with `ChatClient.perform(_:)`, and may declare
/// requests for a server of its own:
///
/// ```swift
/// struct ArchiveChannel: BackendRequest, ChannelCall {
///     typealias Answer = GroupChannel
///
///     static let declaration = CallDeclaration("archiveChannel", "Archives a channel.")
///     var channelURL: ChannelURL
///
///     func effect(of answer: GroupChannel) -> CacheEffect { .channel(answer) }
///     static func example(_ names: ExampleNames) -> ArchiveChannel {
///         ArchiveChannel(channelURL: names.channelURL)
///     }
/// }
/// ```
///
/// The JSON of a request has its parameters, under their names.
public protocol BackendRequest: BackendCall, Hashable, Codable {
    /// The capabilities that these parameters need; by default, those of the declaration.
    var neededCapabilities: BackendCapabilities { get }

    /// Returns the effect to store after the request; by default none, because the feed reports it.
    func effect(of answer: Answer) -> CacheEffect

    /// Returns a request with given names, for the help of the prompt and for conformance checks.
    static func example(_ names: ExampleNames) -> Self
}

extension BackendRequest {
    /// The capabilities of the declaration.
    public var neededCapabilities: BackendCapabilities { Self.declaration.capabilities }

    /// Nothing.
    public func effect(of answer: Answer) -> CacheEffect { .none }

    /// Runs the request on a backend.
    public func make(on backend: any Backend) async throws(BackendError) -> Answer {
        try await backend.perform(self)
    }
}

/// A request that changes something and may name a message, whose stored ``epoch`` the engine sets.
public protocol MessageRequest: BackendRequest {
    /// The message; `nil` if the request names none.
    var message: (id: MessageID, channelURL: ChannelURL)? { get }

    /// The epoch of the message; `nil` if it is unknown. See `errors.epoch` of ``Backend``.
    var epoch: ServerEpoch? { get set }
}

/// A request that waits in the outbox, as its name, its version and its JSON, while there is no
/// connection.
///
/// The outbox keeps the last request of a type for each channel, and sends it after earlier items
/// of the channel. If the server refuses it, the engine removes it and reports the delivery result.
/// A build that does not know the request's name or ``CallDeclaration/version`` keeps the item,
/// marked as failed. The feed has to report what the request changes: the engine does not store the
/// ``BackendRequest/effect(of:)`` of a request that has waited.
public protocol OfflineRequest: BackendRequest, ChannelCall where Answer == Void {
    /// Prepares the request to be sent later; by default, it does not change.
    ///
    /// `newest` is the position of the channel's newest stored message; `nil` if there is none.
    mutating func waits(since newest: Position?)
}

extension OfflineRequest {
    /// Does nothing.
    public mutating func waits(since newest: Position?) {}
}

/// A request for a page of a list.
public protocol PageOfList: BackendRequest {
    /// The previous page's cursor; `nil` for the first page.
    var cursor: PageCursor? { get set }

    /// The maximum number of elements.
    var limit: Int { get set }
}

/// The part of the answer to a request that the engine stores.
public enum CacheEffect: Hashable, Sendable {
    /// Nothing.
    case none
    /// A group channel.
    case channel(GroupChannel)
    /// A message, and the source of the change for observers.
    case message(Message, CollectionEventSource)
    /// An open channel that the user has entered: the shown parts of its history are fetched again.
    case entered(OpenChannel)
}

/// The names that an example of a request contains.
public struct ExampleNames: Hashable, Sendable {
    /// The URL of a channel.
    public var channelURL: ChannelURL

    /// The ID of a message of the channel.
    public var messageID: MessageID

    /// The ID of another user.
    public var userID: UserID

    /// Creates names.
    public init(
        channelURL: ChannelURL = "general", messageID: MessageID = "7", userID: UserID = "bob"
    ) {
        self.channelURL = channelURL
        self.messageID = messageID
        self.userID = userID
    }
}

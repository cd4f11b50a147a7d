public import Models

/// A call of a backend as a value: its parameters, and the type of its answer.
///
/// The *core calls* of ``CoreCall`` are methods of ``Backend``; all others are *requests*: see
/// ``BackendRequest``.
public protocol BackendCall<Answer>: Sendable {
    /// The result of the call.
    associatedtype Answer: Sendable

    /// The properties that all calls of this type share.
    static var declaration: CallDeclaration { get }

    /// The channel of the call; `nil`, the default, if it concerns no channel or several ones.
    var channel: ChannelURL? { get }

    /// The object of the call, for logs; by default, the channel's URL.
    var subject: String { get }

    /// A summary of the parameters other than the channel, for logs; empty by default.
    var detail: String { get }

    /// Makes the call.
    func make(on backend: any Backend) async throws(BackendError) -> Answer
}

extension BackendCall {
    /// The name of the call, such as `send`.
    public static var name: CallName { declaration.name }

    /// Whether the call may change data on the server.
    public static var changesServer: Bool { declaration.changesServer }

    /// `nil`.
    public var channel: ChannelURL? { nil }

    /// The URL of the channel; empty if there is none.
    public var subject: String { channel?.rawValue ?? "" }

    /// An empty text.
    public var detail: String { "" }
}

/// A call that concerns one channel.
public protocol ChannelCall<Answer>: BackendCall {
    /// The channel's URL.
    var channelURL: ChannelURL { get }
}

extension ChannelCall {
    /// The channel of the call.
    public var channel: ChannelURL? { channelURL }
}

/// The name of a call.
public struct CallName: RawRepresentable, Hashable, Comparable, Codable, Sendable,
    ExpressibleByStringLiteral, CustomStringConvertible
{
    /// The name, such as `send`.
    public let rawValue: String

    /// Creates a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a name.
    public init(stringLiteral name: String) { rawValue = name }

    /// Orders names alphabetically.
    public static func < (left: CallName, right: CallName) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The name.
    public var description: String { rawValue }
}

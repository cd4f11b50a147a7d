public import Models

/// Receives the events of the connection, on the main actor.
@MainActor
public protocol ConnectionDelegate: AnyObject {
    /// The state of the connection or of the session has changed.
    func client(_ client: ChatClient, didReceive event: ConnectionEvent)
}

/// An event of the connection or of the session; a `switch` over events needs a `default`.
public struct ConnectionEvent: Hashable, Sendable, CustomStringConvertible {
    /// The name of the event, such as `connected`.
    public let description: String

    /// The user has connected.
    public static let connected = ConnectionEvent(description: "connected")
    /// The app has ended the connection.
    public static let disconnected = ConnectionEvent(description: "disconnected")
    /// The connection was lost or could not be established, and the client is retrying.
    public static let reconnectionStarted = ConnectionEvent(description: "reconnectionStarted")
    /// The connection was established again.
    public static let reconnectionSucceeded = ConnectionEvent(description: "reconnectionSucceeded")
    /// The client has stopped trying to reconnect.
    public static let reconnectionFailed = ConnectionEvent(description: "reconnectionFailed")
    /// The app has ended the connection while the client was trying to reconnect.
    public static let reconnectionCanceled = ConnectionEvent(description: "reconnectionCanceled")
    /// The session has expired, and the client calls ``ChatClientOptions/renewSession``.
    public static let sessionExpired = ConnectionEvent(description: "sessionExpired")
    /// The server has revoked the session: the app must no longer show the cached data.
    public static let sessionRevoked = ConnectionEvent(description: "sessionRevoked")
}

/// Receives the events of the user, on the main actor.
@MainActor
public protocol UserEventDelegate: AnyObject {
    /// The value of ``ChatClient/unreadCount`` has changed.
    func client(_ client: ChatClient, didUpdateUnreadCount count: UnreadItemCount)

    /// The client has found damage of the user's files, or a loss of something that the user wrote.
    ///
    /// ``ChatClient/connect(as:)`` reports damage that was found when the files were opened.
    /// `damage` is the value of ``ChatClient/storageDamage``.
    func client(_ client: ChatClient, didFind damage: StorageDamage)
}

/// An event of the user.
public enum UserEvent: Sendable {
    /// The value of ``ChatClient/unreadCount`` has changed.
    case unreadCount(UnreadItemCount)
    /// The client has found damage: see ``UserEventDelegate/client(_:didFind:)``.
    case damage(StorageDamage)
}

/// The progress of the upload of a message's file.
public struct UploadProgress: Hashable, Sendable {
    /// The request ID of the message.
    public let requestID: RequestID

    /// The URL of the message's channel.
    public let channelURL: ChannelURL

    /// The number of bytes uploaded so far.
    public let bytesTransferred: Int

    /// The file's size in bytes.
    public let bytesInAll: Int

    /// The uploaded fraction, from 0 to 1.
    public var fraction: Double {
        bytesInAll > 0 ? min(1, Double(bytesTransferred) / Double(bytesInAll)) : 0
    }
}

/// Receives the live events of all channels, on the main actor, as ``ChatClient/events()`` does.
@MainActor
public protocol ChannelDelegate: AnyObject {
    /// An event has happened, and is already stored.
    func client(_ client: ChatClient, didReceive event: ChannelEvent)
}

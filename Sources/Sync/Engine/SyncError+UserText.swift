import Models
import Store

extension SyncError {
    /// A sentence in English for the app's user, without names of files or channels.
    ///
    /// For other languages, choose a text by ``code`` and ``detail``.
    public var userText: String {
        if let detail, let text = SyncError.textsOfDetails[detail] { return text }
        if let cause = cause as? StoreError {
            switch cause.code {
            case .noSpace: return "There is not enough free storage on this device."
            case .locked: return "Another app or window is using the messages of this account."
            case .newerSchema: return "The messages were saved by a newer version of this app."
            default: break
            }
        }
        return SyncError.textsOfCodes[code] ?? "Something went wrong on this device."
    }

    private static let textsOfDetails: [ErrorCode: String] = [
        .mutedInChannel: "You are muted in this channel.",
        .channelFrozen: "Only operators can write in this channel now.",
        .banned: "You are banned from this channel.",
        .notMember: "You are not a member of this channel.",
        .notOwnerOfMessage: "You can only change your own messages.",
        .fileSizeLimitExceeded: "This file is too large.",
        .parameterTooLong: "This message is too long.",
        .messageNotFound: "This message no longer exists.",
        .channelNotFound: "This channel no longer exists.",
    ]

    private static let textsOfCodes: [Code: String] = [
        .notConnected: "There is no connection to the server.",
        .throttled: "That was too fast. Try again in a moment.",
        .serverFailure: "The server has a problem. Try again later.",
        .sessionEnded: "Your session has ended. Log in again.",
        .noUser: "Log in first.",
        .notFound: "This no longer exists.",
        .notPermitted: "You are not allowed to do this.",
        .refused: "The server did not accept this.",
        .unsupported: "The server cannot do this.",
        .invalidFile: "This file cannot be sent.",
        .canceled: "This was canceled.",
        .closed: "This was canceled.",
    ]
}

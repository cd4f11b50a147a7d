/// An error number of a chat backend, also one without a constant here.
public struct ErrorCode: RawRepresentable, Hashable, Codable, Sendable {
    /// The number.
    public let rawValue: Int

    /// Creates a code.
    public init(rawValue: Int) { self.rawValue = rawValue }

    init(_ rawValue: Int) { self.rawValue = rawValue }

    /// Decodes the number.
    public init(from decoder: any Decoder) throws {
        let number = try decoder.singleValueContainer().decodeLenientInt64()
        self.init(rawValue: Int(truncatingIfNeeded: number))
    }

    /// Encodes the number.
    public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

extension ErrorCode: IntegerValue {
    /// 0 means that there is no error.
    static var defaultIsNone: Bool { true }
    var int64: Int64 { Int64(rawValue) }
    init(int64: Int64) { self.init(Int(truncatingIfNeeded: int64)) }
}

// MARK: Server errors

extension ErrorCode {
    /// A required parameter is missing.
    public static let missingParameter = ErrorCode(400_105)
    /// A parameter is too long, or a number is too large.
    public static let parameterTooLong = ErrorCode(400_106)
    /// A parameter is not one of the allowed values.
    public static let invalidParameterValue = ErrorCode(400_107)
    /// The current user is not authorized for the request.
    public static let notAuthorized = ErrorCode(400_108)
    /// The server does not accept the value of a parameter.
    public static let invalidParameter = ErrorCode(400_111)
    /// The requested resource does not exist on the server.
    public static let notFoundInDatabase = ErrorCode(400_201)
    /// The resource to create already exists.
    public static let duplicatedData = ErrorCode(400_202)
    /// The user has been deactivated.
    public static let userDeactivated = ErrorCode(400_300)
    /// The user does not exist.
    public static let userNotExist = ErrorCode(400_301)
    /// The access token does not belong to this user.
    public static let accessTokenNotValid = ErrorCode(400_302)
    /// The session key has expired; a new one can be requested.
    public static let sessionKeyExpired = ErrorCode(400_309)
    /// The server revoked the session permanently.
    public static let sessionTokenRevoked = ErrorCode(400_310)
    /// The server failed.
    public static let internalServerError = ErrorCode(500_901)
    /// The client sent too many requests and must wait.
    public static let rateLimitExceeded = ErrorCode(500_910)
}

// MARK: Local errors

extension ErrorCode {
    /// The cause is unknown.
    public static let unknown = ErrorCode(800_000)
    /// The request needs a connection, and there is none.
    public static let connectionRequired = ErrorCode(800_101)
    /// An argument is not valid.
    public static let invalidArgument = ErrorCode(800_110)
    /// The server's response cannot be decoded.
    public static let malformedData = ErrorCode(800_130)
    /// The server did not acknowledge the request in time; it may have taken effect.
    public static let ackTimeout = ErrorCode(800_180)
    /// The request failed in transit.
    public static let requestFailed = ErrorCode(800_220)
    /// The file is larger than the server accepts.
    public static let fileSizeLimitExceeded = ErrorCode(800_260)
    /// The outbox's copy of a file is missing or was changed.
    ///
    /// Resend it with the file: `resend(_:replacing:)`.
    public static let fileDamaged = ErrorCode(800_261)
    /// The lifetime of the outbox item ended before the message was sent.
    public static let pendingError = ErrorCode(800_400)
    /// The item comes from files that the app may not have written last: an unencrypted store, an
    /// outbox that was replaced by an earlier copy, or an encrypted outbox that has lost records.
    ///
    /// It may have been sent, edited or removed since, or another program may have written it. Let
    /// the user decide whether to resend it.
    public static let needsConfirmation = ErrorCode(800_401)
}

// MARK: Channel errors

extension ErrorCode {
    /// The current user is not a member of the channel.
    public static let notMember = ErrorCode(900_020)
    /// The message belongs to another user.
    public static let notOwnerOfMessage = ErrorCode(900_022)
    /// Messages cannot be sent to the channel.
    public static let sendNotAllowed = ErrorCode(900_023)
    /// The current user is muted in the channel.
    public static let mutedInChannel = ErrorCode(900_041)
    /// The channel is frozen.
    public static let channelFrozen = ErrorCode(900_050)
    /// The current user is banned from the channel.
    public static let banned = ErrorCode(900_100)
    /// The message does not exist.
    public static let messageNotFound = ErrorCode(900_300)
    /// The channel does not exist.
    public static let channelNotFound = ErrorCode(900_500)
}

// MARK: Resending

extension ErrorCode {
    /// A Boolean value that indicates whether a message with this error may be resent.
    public var isResendable: Bool { ErrorCode.resendable.contains(self) }

    private static let resendable: Set<ErrorCode> = [
        .connectionRequired, .requestFailed, .ackTimeout, .fileDamaged, .pendingError,
        .needsConfirmation, .internalServerError, .rateLimitExceeded,
    ]
}

extension ErrorCode: CustomStringConvertible {
    /// The name of the constant, such as `channelFrozen`; for any other number, its decimal digits.
    public var description: String { ErrorCode.names[self] ?? String(rawValue) }

    private static let names: [ErrorCode: String] = [
        .missingParameter: "missingParameter",
        .parameterTooLong: "parameterTooLong",
        .invalidParameterValue: "invalidParameterValue",
        .notAuthorized: "notAuthorized",
        .invalidParameter: "invalidParameter",
        .notFoundInDatabase: "notFoundInDatabase",
        .duplicatedData: "duplicatedData",
        .userDeactivated: "userDeactivated",
        .userNotExist: "userNotExist",
        .accessTokenNotValid: "accessTokenNotValid",
        .sessionKeyExpired: "sessionKeyExpired",
        .sessionTokenRevoked: "sessionTokenRevoked",
        .internalServerError: "internalServerError",
        .rateLimitExceeded: "rateLimitExceeded",
        .unknown: "unknown",
        .connectionRequired: "connectionRequired",
        .invalidArgument: "invalidArgument",
        .malformedData: "malformedData",
        .ackTimeout: "ackTimeout",
        .requestFailed: "requestFailed",
        .fileSizeLimitExceeded: "fileSizeLimitExceeded",
        .fileDamaged: "fileDamaged",
        .pendingError: "pendingError",
        .needsConfirmation: "needsConfirmation",
        .notMember: "notMember",
        .notOwnerOfMessage: "notOwnerOfMessage",
        .sendNotAllowed: "sendNotAllowed",
        .mutedInChannel: "mutedInChannel",
        .channelFrozen: "channelFrozen",
        .banned: "banned",
        .messageNotFound: "messageNotFound",
        .channelNotFound: "channelNotFound",
    ]
}

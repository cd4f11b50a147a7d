/// What went wrong, as chat backends number it.
///
/// Open: a backend may use numbers that have no name here.
public struct ErrorCode: RawRepresentable, Hashable, Codable, Sendable {
    /// The number.
    public let rawValue: Int

    /// Creates a code from its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    init(_ rawValue: Int) { self.rawValue = rawValue }

    /// Reads the number.
    public init(from decoder: any Decoder) throws {
        let number = try decoder.singleValueContainer().decodeLenientInt64()
        self.init(rawValue: Int(truncatingIfNeeded: number))
    }

    /// Writes the number.
    public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

extension ErrorCode: IntegerValue {
    /// The number 0 stands for no error.
    static var defaultIsNone: Bool { true }
    var int64: Int64 { Int64(rawValue) }
    init(int64: Int64) { self.init(Int(truncatingIfNeeded: int64)) }
}

// MARK: Said by the server

extension ErrorCode {
    /// A parameter must be a text.
    public static let invalidParameterText = ErrorCode(400_100)
    /// A parameter must be a number.
    public static let invalidParameterNumber = ErrorCode(400_101)
    /// A parameter must be a list.
    public static let invalidParameterList = ErrorCode(400_102)
    /// A parameter must be an object.
    public static let invalidParameterObject = ErrorCode(400_103)
    /// A parameter must be a truth value.
    public static let invalidParameterBool = ErrorCode(400_104)
    /// A needed parameter is missing.
    public static let missingParameter = ErrorCode(400_105)
    /// A parameter is too long, or a number too large.
    public static let parameterTooLong = ErrorCode(400_106)
    /// A parameter is not one of the values it may have.
    public static let invalidParameterValue = ErrorCode(400_107)
    /// The current user may not do this.
    public static let notAuthorized = ErrorCode(400_108)
    /// Two parameters contradict each other.
    public static let incompatibleParameters = ErrorCode(400_110)
    /// A parameter has a value that the server does not take.
    public static let invalidParameter = ErrorCode(400_111)
    /// What was asked for does not exist on the server.
    public static let notFoundInDatabase = ErrorCode(400_201)
    /// What was to be created exists already.
    public static let duplicatedData = ErrorCode(400_202)
    /// There are as many as there may be.
    public static let maximumCountReached = ErrorCode(400_203)
    /// The user has been deactivated.
    public static let userDeactivated = ErrorCode(400_300)
    /// The user does not exist.
    public static let userNotExist = ErrorCode(400_301)
    /// The access token is not this user's.
    public static let accessTokenNotValid = ErrorCode(400_302)
    /// The session key has expired; a new one can be asked for.
    public static let sessionKeyExpired = ErrorCode(400_309)
    /// The session was ended by the server, for good.
    public static let sessionTokenRevoked = ErrorCode(400_310)
    /// The application's own token is not valid.
    public static let invalidAPIToken = ErrorCode(400_401)
    /// A parameter of the request is missing.
    public static let parameterMissing = ErrorCode(400_402)
    /// The request is not JSON.
    public static let invalidJSON = ErrorCode(400_403)
    /// The request contradicts what another one just did.
    public static let conflict = ErrorCode(409_000)
    /// The server failed.
    public static let internalServerError = ErrorCode(500_901)
    /// Too many requests; one may go on after a while.
    public static let rateLimitExceeded = ErrorCode(500_910)
    /// The server cannot answer for now.
    public static let serviceUnavailable = ErrorCode(503_000)
}

// MARK: Found on this device

extension ErrorCode {
    /// Nothing more is known.
    public static let unknown = ErrorCode(800_000)
    /// Something was used before it was set up.
    public static let invalidInitialization = ErrorCode(800_100)
    /// This needs a connection, and there is none.
    public static let connectionRequired = ErrorCode(800_101)
    /// The connection was given up while it was made.
    public static let connectionCanceled = ErrorCode(800_102)
    /// An argument is not valid.
    public static let invalidArgument = ErrorCode(800_110)
    /// The network failed.
    public static let networkError = ErrorCode(800_120)
    /// The server cannot be reached under its address.
    public static let networkRoutingError = ErrorCode(800_121)
    /// The server's answer cannot be understood.
    public static let malformedData = ErrorCode(800_130)
    /// The server's answer is an error that cannot be understood.
    public static let malformedErrorData = ErrorCode(800_140)
    /// The channel is of another kind than this needs.
    public static let wrongChannelType = ErrorCode(800_150)
    /// Marking as read was asked for too often.
    public static let markAsReadRateLimitExceeded = ErrorCode(800_160)
    /// A page of this query is being loaded already.
    public static let queryInProgress = ErrorCode(800_170)
    /// The server did not acknowledge in time; nobody knows whether it acted.
    public static let ackTimeout = ErrorCode(800_180)
    /// The server did not let us in within the time allowed.
    public static let loginTimeout = ErrorCode(800_190)
    /// The connection was closed before the request was sent.
    public static let connectionClosed = ErrorCode(800_200)
    /// The connection failed.
    public static let connectionFailed = ErrorCode(800_210)
    /// The request failed on its way.
    public static let requestFailed = ErrorCode(800_220)
    /// The server has too much to do, and says when to come back.
    public static let serverOverloaded = ErrorCode(800_221)
    /// The upload could not be canceled.
    public static let fileUploadCancelFailed = ErrorCode(800_230)
    /// The upload was canceled.
    public static let fileUploadCanceled = ErrorCode(800_240)
    /// The upload took longer than it may.
    public static let fileUploadTimeout = ErrorCode(800_250)
    /// The file is larger than the server takes.
    public static let fileSizeLimitExceeded = ErrorCode(800_260)
    /// The message was still pending when the application ended.
    public static let pendingError = ErrorCode(800_400)
    /// The collection was disposed of.
    public static let collectionDisposed = ErrorCode(800_600)
    /// The database on this device failed.
    public static let localDatabaseError = ErrorCode(800_700)
}

// MARK: Refused by a channel

extension ErrorCode {
    /// One has to log in first.
    public static let loginRequired = ErrorCode(900_010)
    /// The current user is not a member of the channel.
    public static let notMember = ErrorCode(900_020)
    /// The current user is deactivated in the channel.
    public static let deactivatedInChannel = ErrorCode(900_021)
    /// The message belongs to somebody else.
    public static let notOwnerOfMessage = ErrorCode(900_022)
    /// Messages cannot be sent to the channel.
    public static let sendNotAllowed = ErrorCode(900_023)
    /// The current user is muted in the application.
    public static let mutedInApplication = ErrorCode(900_040)
    /// The current user is muted in the channel.
    public static let mutedInChannel = ErrorCode(900_041)
    /// The channel is frozen.
    public static let channelFrozen = ErrorCode(900_050)
    /// The profanity filter refused the text.
    public static let profanityBlocked = ErrorCode(900_060)
    /// The channel has been deleted.
    public static let channelDeleted = ErrorCode(900_070)
    /// The current user is banned from the channel.
    public static let banned = ErrorCode(900_100)
    /// Messages are sent faster than the channel allows.
    public static let tooManyMessages = ErrorCode(900_200)
    /// The message does not exist.
    public static let messageNotFound = ErrorCode(900_300)
    /// The channel does not exist.
    public static let channelNotFound = ErrorCode(900_500)
}

// MARK: Sending again

extension ErrorCode {
    /// Whether a message that failed with this error may be sent again by its sender.
    ///
    /// What the server refused for good, such as a message to a channel that one left, may not.
    public var isResendable: Bool { ErrorCode.resendable.contains(self) }

    /// Whether a message that met this error is sent again without asking, when connected again.
    ///
    /// Only where it is certain that the server has not seen it.
    public var isAutoResendable: Bool { ErrorCode.autoResendable.contains(self) }

    private static let resendable: Set<ErrorCode> = autoResendable.union([
        .networkError, .ackTimeout, .fileUploadCanceled, .fileUploadTimeout, .pendingError,
        .internalServerError, .rateLimitExceeded, .tooManyMessages, .deactivatedInChannel,
    ])

    private static let autoResendable: Set<ErrorCode> = [
        .connectionRequired, .connectionClosed, .connectionFailed, .requestFailed,
    ]
}

extension ErrorCode: CustomStringConvertible {
    /// The number, in decimal.
    public var description: String { String(rawValue) }
}

/// An operation of the user that the server has not acknowledged yet.
///
/// An item is a new message, a change (an edit, a deletion, or a change of a reaction), or a
/// request, such as a receipt. A new message is in ``message``. A change of a sent message has its
/// ``messageID``.
public struct OutboxItem: Record {
    /// The binary form.
    public var fields = RecordFields<OutboxItem>()

    /// Creates an empty record.
    public init() {}

    /// The ID of the request and, for a new message, of the message.
    ///
    /// All attempts use the same ID, so that a server can deduplicate.
    public var requestID: RequestID {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The channel's URL.
    public var channelURL: ChannelURL {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The channel's type.
    public var channelType: ChannelType {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The requested operation.
    ///
    /// An operation of a newer version of the code is read as ``OutboxOperation/send``, but not
    /// sent.
    public var operation: OutboxOperation {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The state of the item.
    ///
    /// A state of a newer version of the code is read as ``OutboxItemState/pending``, but not sent.
    public var state: OutboxItemState {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The device's time at which the user wrote the item.
    public var createdAt: Timestamp {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// The new message as lists show it until it is sent; `nil` for a change.
    public var message: Message? {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The ID of the message to change; `nil` for a new message, or while unknown.
    public var messageID: MessageID? {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// The request ID of the message to change, if that was unsent when the user wrote this item.
    package var targetRequestID: RequestID? {
        get { self[9] }
        set { self[9] = newValue }
    }

    /// The key of the reaction.
    public var reactionKey: String? {
        get { self[10] }
        set { self[10] = newValue }
    }

    /// The edit of a user message.
    package var userMessageUpdateParams: UserMessageUpdateParams? {
        get { self[14] }
        set { self[14] = newValue }
    }

    /// The edit of a file message.
    package var fileMessageUpdateParams: FileMessageUpdateParams? {
        get { self[15] }
        set { self[15] = newValue }
    }

    /// The number of attempts, including one in flight.
    ///
    /// If it is 1, no earlier request with this ID has reached the server.
    public var attempts: Int {
        get { self[16] }
        set { self[16] = newValue }
    }

    /// The error of the last failure, if any.
    public var errorCode: ErrorCode? {
        get { self[17] }
        set { self[17] = newValue }
    }

    /// The backend's error message, for diagnosis.
    public var errorMessage: String? {
        get { self[18] }
        set { self[18] = newValue }
    }

    /// The earliest time of the next attempt; `nil` for no limit.
    package var notBefore: Timestamp? {
        get { self[19] }
        set { self[19] = newValue }
    }

    /// The creation time of ``follows``.
    package var followsCreatedAt: Timestamp {
        get { self[20] }
        set { self[20] = newValue }
    }

    /// The message ID of ``follows``, if any.
    package var followsMessageID: MessageID? {
        get { self[21] }
        set { self[21] = newValue }
    }

    /// The server's descriptions of uploaded ``files``, with the same indices.
    ///
    /// Use ``uploadedFile(at:)``: the entry of a file that is not uploaded yet has no URL, or is
    /// missing at the end.
    package var uploadedFiles: [FileInfo] {
        get { self[22] }
        set { self[22] = newValue }
    }

    /// `true` if another attempt could execute the operation twice: an earlier one may have reached
    /// the server, which does not deduplicate requests, or only for a limited time.
    package var isDoubtful: Bool {
        get { self[23] }
        set { self[23] = newValue }
    }

    /// The device's time at which the user last resent the item; `nil` if never.
    package var resentAt: Timestamp? {
        get { self[25] }
        set { self[25] = newValue }
    }

    /// The outbox's copies of ``files``, with the same indices.
    ///
    /// Use ``fileCopy(at:)``: the entry of a file without a copy has no name, or is missing at the
    /// end.
    package var fileCopies: [FileCopy] {
        get { self[26] }
        set { self[26] = newValue }
    }

    /// The server epoch of the message to change, the parent of a reply, or the poll of a message.
    ///
    /// It is `nil` if the item names none, or if the epoch is unknown. In another epoch, the ID may
    /// belong to another message, so the item is not sent.
    public var targetEpoch: ServerEpoch? {
        get { self[27] }
        set { self[27] = newValue }
    }

    /// The name of the request; otherwise `nil`.
    public var requestName: String? {
        get { self[28] }
        set { self[28] = newValue }
    }

    /// The parameters of the request, as JSON; otherwise `nil`.
    package var requestParameters: String? {
        get { self[29] }
        set { self[29] = newValue }
    }

    /// The version of the request's parameters; 1 if the item does not store one.
    public var requestVersion: Int {
        get { self[30, default: 1] }
        set { self[30, default: 1] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "OutboxItem",
        [
            Field(1, "request_id", \OutboxItem.requestID, aliases: ["req_id"]),
            Field(2, "channel_url", \OutboxItem.channelURL),
            Field(3, "channel_type", \OutboxItem.channelType),
            Field(4, "operation", \OutboxItem.operation),
            Field(5, "state", \OutboxItem.state),
            Field(6, "created_at", \OutboxItem.createdAt),
            Field(7, "message", \OutboxItem.message),
            Field(8, "message_id", \OutboxItem.messageID, meaning: .zeroIsNone),
            Field(9, "target_request_id", \OutboxItem.targetRequestID),
            Field(10, "reaction_key", \OutboxItem.reactionKey),
            // Numbers 11 to 13 are free: the message has the parameters.
            Field(14, "user_message_update_params", \OutboxItem.userMessageUpdateParams),
            Field(15, "file_message_update_params", \OutboxItem.fileMessageUpdateParams),
            Field(16, "attempts", \OutboxItem.attempts),
            Field(17, "error_code", \OutboxItem.errorCode),
            Field(18, "error_message", \OutboxItem.errorMessage),
            Field(19, "not_before", \OutboxItem.notBefore),
            Field(20, "follows_created_at", \OutboxItem.followsCreatedAt),
            Field(21, "follows_message_id", \OutboxItem.followsMessageID, meaning: .zeroIsNone),
            Field(22, "uploaded_files", \OutboxItem.uploadedFiles),
            Field(23, "is_doubtful", \OutboxItem.isDoubtful),
            // Number 24 was a list of names of file copies. Do not use it again.
            Field(25, "resent_at", \OutboxItem.resentAt),
            Field(26, "file_copies", \OutboxItem.fileCopies),
            Field(27, "target_epoch", \OutboxItem.targetEpoch),
            Field(28, "request_name", \OutboxItem.requestName),
            Field(29, "request_parameters", \OutboxItem.requestParameters),
            Field(30, "request_version", \OutboxItem.requestVersion, default: 1),
        ])
}

extension OutboxItem: SingularValue {}

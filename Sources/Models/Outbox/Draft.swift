/// One thing that a user wrote and the server has not confirmed yet, as the outbox keeps it on disk.
///
/// A new message, or a change to one: an edit, a deletion, a reaction given or taken back. Which
/// fields mean something depends on ``operation``: a new message is in ``message``; a change names
/// its target by ``messageID``, or by ``targetRequestID`` where that was not sent itself, and has
/// a ``reactionKey`` or what to update.
public struct Draft: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<Draft>()

    /// Creates a record without any field.
    public init() {}

    /// The name of this operation; for a new message also that of the message.
    ///
    /// It never changes, however often the operation is tried: by it a server that deduplicates
    /// knows a second attempt.
    public var requestID: RequestID {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The channel.
    public var channelURL: ChannelURL {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The kind of that channel.
    public var channelType: ChannelType {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// What the server is asked to do.
    ///
    /// One that a newer version wrote and this one does not know is read as ``DraftOperation/send``;
    /// a draft that sends and has no ``message`` is such a one, and has to be left alone.
    public var operation: DraftOperation {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// How far it has come.
    public var state: DraftState {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// When the user wrote it, by the clock of this device.
    public var createdAt: Timestamp {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// The new message as lists show it while it is not sent; `nil` if this is a change.
    ///
    /// It holds the params it is made from.
    public var message: Message? {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The message to change; `nil` for a new one, and while the target itself is not sent.
    public var messageID: MessageID? {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// The draft of the message to change, if that was not sent when this was written.
    public var targetRequestID: RequestID? {
        get { self[9] }
        set { self[9] = newValue }
    }

    /// What is reacted with.
    public var reactionKey: String? {
        get { self[10] }
        set { self[10] = newValue }
    }

    /// What an edit changes in a user message.
    public var userMessageUpdateParams: UserMessageUpdateParams? {
        get { self[14] }
        set { self[14] = newValue }
    }

    /// What an edit changes in a file message.
    public var fileMessageUpdateParams: FileMessageUpdateParams? {
        get { self[15] }
        set { self[15] = newValue }
    }

    /// How often it was handed to the backend.
    public var attempts: Int {
        get { self[16] }
        set { self[16] = newValue }
    }

    /// Why it failed, or why the last attempt did; `nil` if none has.
    public var errorCode: ErrorCode? {
        get { self[17] }
        set { self[17] = newValue }
    }

    /// What the backend said of the failure, for whoever looks for its cause.
    public var errorMessage: String? {
        get { self[18] }
        set { self[18] = newValue }
    }

    /// When the server allows the next attempt; `nil` for at once.
    public var notBefore: Timestamp? {
        get { self[19] }
        set { self[19] = newValue }
    }

    /// When the message was accepted that ``follows`` names.
    public var followsCreatedAt: Timestamp {
        get { self[20] }
        set { self[20] = newValue }
    }

    /// The message that ``follows`` names; `nil` if none was known.
    public var followsMessageID: MessageID? {
        get { self[21] }
        set { self[21] = newValue }
    }

    /// What the server made of ``files``, in their order; one without an address is not uploaded.
    ///
    /// May be shorter than they are. ``uploadedFile(at:)`` knows both.
    public var uploadedFiles: [FileInfo] {
        get { self[22] }
        set { self[22] = newValue }
    }

    /// Whether another attempt could do the same thing twice.
    ///
    /// An attempt may have reached the server, and that does not deduplicate requests.
    public var isDoubtful: Bool {
        get { self[23] }
        set { self[23] = newValue }
    }

    /// The copies that the outbox has made of ``files``, in their order; an empty name for none.
    ///
    /// Names of files in the outbox's own directory, and not paths: an app finds its directories
    /// in another place after an update. The copies are the outbox's, and go with the draft.
    /// May be shorter than ``files``. ``keptFile(at:)`` knows both.
    public var keptFiles: [String] {
        get { self[24] }
        set { self[24] = newValue }
    }

    /// When the user last asked to send it again, by the clock of this device; `nil` if never.
    public var resentAt: Timestamp? {
        get { self[25] }
        set { self[25] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "Draft",
        [
            Field(1, "request_id", \Draft.requestID, aliases: ["req_id"]),
            Field(2, "channel_url", \Draft.channelURL),
            Field(3, "channel_type", \Draft.channelType),
            Field(4, "operation", \Draft.operation),
            Field(5, "state", \Draft.state),
            Field(6, "created_at", \Draft.createdAt),
            Field(7, "message", \Draft.message),
            Field(8, "message_id", \Draft.messageID, meaning: .zeroIsNone),
            Field(9, "target_request_id", \Draft.targetRequestID),
            Field(10, "reaction_key", \Draft.reactionKey),
            // 11 to 13 are free: what a new message is made from is in the message.
            Field(14, "user_message_update_params", \Draft.userMessageUpdateParams),
            Field(15, "file_message_update_params", \Draft.fileMessageUpdateParams),
            Field(16, "attempts", \Draft.attempts),
            Field(17, "error_code", \Draft.errorCode),
            Field(18, "error_message", \Draft.errorMessage),
            Field(19, "not_before", \Draft.notBefore),
            Field(20, "follows_created_at", \Draft.followsCreatedAt),
            Field(21, "follows_message_id", \Draft.followsMessageID, meaning: .zeroIsNone),
            Field(22, "uploaded_files", \Draft.uploadedFiles),
            Field(23, "is_doubtful", \Draft.isDoubtful),
            Field(24, "kept_files", \Draft.keptFiles),
            Field(25, "resent_at", \Draft.resentAt),
        ])
}

extension Draft: SingularValue {}

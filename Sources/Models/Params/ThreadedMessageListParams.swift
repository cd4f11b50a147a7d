/// The parameters of a list of replies to a message.
public struct ThreadedMessageListParams: MessageSelectionParams {
    /// The binary form.
    public var fields = RecordFields<ThreadedMessageListParams>()

    /// Creates an empty record.
    public init() {}

    /// The number of replies older than the anchor: 20 by default, clamped to 0...10,000.
    public var previousResultSize: Int {
        get { self[1, default: 20] }
        set { self[1, default: 20] = newValue }
    }

    /// The number of replies newer than the anchor: 20 by default, clamped to 0...10,000.
    public var nextResultSize: Int {
        get { self[2, default: 20] }
        set { self[2, default: 20] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "ThreadedMessageListParams",
        selectionFields + [
            Field(
                1, "prev_result_size", \ThreadedMessageListParams.previousResultSize, default: 20),
            Field(2, "next_result_size", \ThreadedMessageListParams.nextResultSize, default: 20),
        ])
}

extension ThreadedMessageListParams: SingularValue {}

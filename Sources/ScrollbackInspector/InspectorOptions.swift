/// The options of an ``Inspector``.
public struct InspectorOptions: Hashable, Sendable {
    /// The port on the loopback interface; 0, the default, for any free port.
    public var port: UInt16 = 0

    /// A Boolean value that indicates whether the page may make the client go offline and online,
    /// fetch, verify, repair, evict, clear, and resend; `false` by default.
    public var allowsActions = false

    /// A Boolean value that indicates whether the page shows only the lengths of texts; `false` by
    /// default.
    ///
    /// If it is `true`, the page does not receive texts, names and data of users, or the messages
    /// of a server's errors, which may quote them. It still receives IDs, URLs of channels, times,
    /// and codes of errors.
    public var masksTexts = false

    /// Creates the default options.
    public init() {}
}

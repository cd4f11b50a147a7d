/// The options of an ``Inspector``.
public struct InspectorOptions: Hashable, Sendable {
    /// The port on the loopback interface; 0, the default, for any free port.
    public var port: UInt16 = 0

    /// A Boolean value that indicates whether the page may make the client go offline and online,
    /// fetch, verify and repair messages, evict, clear, and resend; `false` by default.
    public var allowsActions = false

    /// A Boolean value that indicates whether the page shows the lengths of texts instead of the
    /// texts; `false` by default.
    ///
    /// If it is `true`, texts, names and data that users have written do not leave the process, nor
    /// do the messages of a server's errors, which may quote them. IDs, URLs of channels, times,
    /// and the codes of errors are still shown.
    public var masksTexts = false

    /// Creates the default options.
    public init() {}
}

/// The options of an ``Inspector``.
public struct InspectorOptions: Hashable, Sendable {
    /// The port on the loopback interface; 0, the default, for any free port.
    public var port: UInt16 = 0

    /// A Boolean value that indicates whether the page may change the client.
    ///
    /// The page can make the client go offline and online, fetch, verify and repair messages,
    /// evict, clear, and resend. The default is `false`: the page only shows the client.
    public var allowsActions = false

    /// A Boolean value that indicates whether the page shows the lengths of texts instead of the
    /// texts.
    ///
    /// If it is `true`, texts, names and data that users have written do not leave the process, nor
    /// do the messages of a server's errors, which may quote them. IDs, URLs of channels, times, and
    /// the codes of errors are still shown. The default is `false`.
    public var masksTexts = false

    /// Creates the default options.
    public init() {}
}

public import Models

/// The properties that all calls of a type share.
public struct CallDeclaration: Sendable {
    /// The name, such as `setFrozen`, which is unique.
    public let name: CallName

    /// The version of the parameters of a request, at least 1.
    ///
    /// Increase it if an earlier build could misread the parameters. An ``OfflineRequest`` is
    /// stored with its version. A build with a lower version does not send it; one with a higher
    /// version decodes it with its `init(from:)`, which has to accept the parameters of earlier
    /// versions.
    public let version: Int

    /// A sentence that says what the call does.
    public let summary: String

    /// The capabilities without which a backend does not support the call.
    public let capabilities: BackendCapabilities

    /// Whether the call may change data on the server.
    public let changesServer: Bool

    /// The promises of a backend that supports the call.
    public let promises: [BackendPromise]

    /// Creates a declaration.
    public init(
        _ name: CallName, _ summary: String = "", version: Int = 1,
        needs capabilities: BackendCapabilities = [], changesServer: Bool = true,
        promises: [BackendPromise] = []
    ) {
        self.name = name
        self.version = max(1, version)
        self.summary = summary
        self.capabilities = capabilities
        self.changesServer = changesServer
        self.promises = promises
    }
}

/// A promise of a backend, which conformance checks verify.
public struct BackendPromise: Hashable, Sendable, Codable, Identifiable {
    /// The name of the promise, such as `feed.once`.
    public let id: String

    /// The text of the promise.
    public let sentence: String

    /// Creates a promise.
    public init(_ id: String, _ sentence: String) {
        self.id = id
        self.sentence = sentence
    }
}

extension BackendPromise: CustomStringConvertible {
    /// The ID and the text of the promise.
    public var description: String { "\(id): \(sentence)" }
}

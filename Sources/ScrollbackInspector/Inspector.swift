#if Inspector
    public import Collections
    public import Foundation
    import Models

    /// A web page that shows the state of a running client: the stored messages, the gaps, the
    /// outbox, and the engine's requests to the server.
    ///
    /// ```swift
    /// let inspector = try await Inspector(client).start()
    /// ```
    ///
    /// ``start()`` prints an address to open in a browser on this machine. The inspector listens
    /// only on the loopback interface, and refuses requests without the random token in the
    /// address. Link it in debug builds.
    ///
    /// While no page is open, the inspector causes no work. It stops when it or the client is
    /// released, and when the client is closed.
    @MainActor
    public final class Inspector {
        /// The options of the inspector.
        public let options: InspectorOptions

        /// The address of the page; `nil` if the inspector is stopped.
        public private(set) var address: URL?

        let inspection: Inspection
        private weak var client: ChatClient?
        private let makeToken: () -> String
        private let pause: @Sendable (Duration) async throws -> Void
        private var server: InspectorServer?
        private(set) var lifetime: Task<Void, Never>?

        /// Creates an inspector of a client, without retaining it.
        public convenience init(
            _ client: ChatClient, options: InspectorOptions = InspectorOptions()
        ) {
            self.init(client, options: options, makeToken: Inspector.randomToken)
        }

        /// Creates an inspector.
        ///
        /// `pause` waits between updates of a page, between checks of whether a user has connected,
        /// and for slow requests.
        package init(
            _ client: ChatClient, options: InspectorOptions,
            pause: @escaping @Sendable (Duration) async throws -> Void = {
                try await Task.sleep(for: $0)
            },
            makeToken: @escaping () -> String
        ) {
            self.client = client
            self.options = options
            self.makeToken = makeToken
            self.pause = pause
            inspection = Inspection(client, options, pause)
        }

        deinit {
            lifetime?.cancel()
            server?.cancel()
        }

        /// Starts to listen, and prints the page's address, unless the inspector is already
        /// started.
        ///
        /// - Throws: ``InspectorError`` with code `closed` if the client was released, or
        ///   `unavailable` if the port cannot be used.
        @discardableResult
        public func start() async throws(InspectorError) -> Inspector {
            try await listen()
            if let address { print("Inspector: \(address.absoluteString)") }
            return self
        }

        /// Starts to listen, as ``start()`` does, without printing.
        package func listen() async throws(InspectorError) {
            guard server == nil else { return }
            guard let client else {
                throw InspectorError(.closed, "the client of the inspector was released")
            }
            let server = InspectorServer(
                inspection, token: makeToken(), port: options.port, pause: pause)
            self.server = server
            do throws(InspectorError) {
                address = try server.start()
            } catch {
                self.server = nil
                throw error
            }
            let closing = client.lifetime()
            lifetime = Task { [weak self] in
                for await _ in closing {}
                if !Task.isCancelled { await self?.stop() }
            }
        }

        /// Stops listening, and closes all connections.
        public func stop() async {
            guard let server else { return }
            (self.server, address) = (nil, nil)
            lifetime?.cancel()
            lifetime = nil
            await inspection.monitor.stop()
            await server.stop()
        }

        private static func randomToken() -> String {
            var random = SystemRandomNumberGenerator()
            return (0..<5).map { _ in
                let digits = String(random.next() as UInt32, radix: 16)
                return String(repeating: "0", count: 8 - digits.count) + digits
            }.joined()
        }
    }

    /// An error of an ``Inspector``.
    public struct InspectorError: LocalizedError, CustomStringConvertible {
        /// The kind of error.
        public let code: Code

        /// A description of the failure.
        public let message: String

        /// The underlying error, if any.
        public let cause: (any Error)?

        /// The same text as `message`.
        public var errorDescription: String? { message }

        /// The code and the message.
        public var description: String { "\(code): \(message)" }

        /// A kind of error; later versions may add codes.
        public struct Code: Hashable, Sendable, CustomStringConvertible {
            /// The name of the code.
            public let description: String

            /// The client was released before the inspector was started.
            public static let closed = Code(description: "closed")
            /// The port cannot be used, for example because another process uses it.
            public static let unavailable = Code(description: "unavailable")
        }

        init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
            self.code = code
            self.message = message
            self.cause = cause
        }
    }
#else
    /// The inspector of a client, which needs the package's trait `Inspector`.
    @available(
        *, unavailable,
        message: "Enable the trait: .package(url: …, from: …, traits: [\"Inspector\"])"
    )
    public struct Inspector {}
#endif

public import Models

/// The requests that a backend supports, each with the function that executes it.
///
/// ```swift
/// var handlers = RequestHandlers()
/// handlers.on(SetFrozen.self) { request throws(BackendError) in
///     try await server.freeze(request.channelURL, request.isFrozen)
/// }
/// ```
public struct RequestHandlers: Sendable {
    private struct Handler<Request: BackendRequest>: Sendable {
        let perform: @Sendable (Request) async throws(BackendError) -> Request.Answer
    }

    private var handlers: [ObjectIdentifier: (any BackendRequest.Type, any Sendable)] = [:]

    /// Creates a table without handlers.
    public init() {}

    /// Sets the function that executes the requests of a type.
    public mutating func on<Request: BackendRequest>(
        _ type: Request.Type,
        perform: @escaping @Sendable (Request) async throws(BackendError) -> Request.Answer
    ) {
        handlers[ObjectIdentifier(type)] = (type, Handler<Request>(perform: perform))
    }

    /// Returns whether there is a handler for requests of a type.
    public func supports(_ type: any BackendRequest.Type) -> Bool {
        handlers[ObjectIdentifier(type)] != nil
    }

    /// The types of the supported requests, ordered by name.
    public var types: [any BackendRequest.Type] {
        handlers.values.map(\.0).sorted { $0.name < $1.name }
    }

    /// Executes a request, or throws `unsupported` if it has no handler.
    public func answer<Request: BackendRequest>(
        _ request: Request
    ) async throws(BackendError) -> Request.Answer {
        let found = handlers[ObjectIdentifier(Request.self)]?.1
        guard let handler = found as? Handler<Request> else { throw .unsupported(request) }
        return try await handler.perform(request)
    }
}

extension BackendError {
    /// Returns the error that a call throws if the backend lacks a capability.
    public static func lacking(_ capability: BackendCapabilities) -> BackendError {
        BackendError(.unsupported, "this backend lacks \(capability)")
    }

    static func unsupported<Request: BackendRequest>(_ request: Request) -> BackendError {
        let needed = request.neededCapabilities
        return needed.isEmpty
            ? BackendError(.unsupported, "this backend does not support \(Request.name)")
            : .lacking(needed)
    }
}

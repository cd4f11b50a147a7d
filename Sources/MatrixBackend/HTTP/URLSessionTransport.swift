import Dispatch
import Foundation
public import Models
import Sync

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends HTTP requests with `URLSession`.
///
/// All requests of a transport and its copies share connections. Requests that transfer files have
/// separate ones.
public struct URLSessionTransport: HTTPTransport {
    /// The seconds without a byte, or in total for a request without a file, after which it fails.
    private static let timeout: TimeInterval = 30

    /// The maximum size of the values of ``HTTPRequest/unneededFields`` in bytes.
    fileprivate static let maximumUnneededByteCount: Int64 = 2 << 30

    private let connections = Connections()

    /// Creates a transport with its own connections, caches and cookies.
    public init() {}

    /// Sends a request and returns the reply.
    public func send(_ request: HTTPRequest) async throws(BackendError) -> HTTPReply {
        var sent = URLRequest(url: request.url)
        sent.httpMethod = request.method
        sent.timeoutInterval = Self.timeout + request.wait / .seconds(1)
        for (name, value) in request.headers { sent.setValue(value, forHTTPHeaderField: name) }
        switch request.body {
        case .none: break
        case .data(let data): sent.httpBody = data
        case .file(let source, let progress):
            return try await upload(source, progress, of: request, as: sent)
        }
        return try await connections.reply(to: sent, request, within: sent.timeoutInterval)
    }

    #if canImport(Darwin)
        private func upload(
            _ source: UploadSource, _ progress: @escaping @Sendable (TransferProgress) -> Void,
            of request: HTTPRequest, as sent: URLRequest
        ) async throws(BackendError) -> HTTPReply {
            var sent = sent
            let stream = try FileStream(source, progress)
            sent.setValue("\(source.byteCount)", forHTTPHeaderField: "Content-Length")
            sent.httpBodyStream = stream.input
            do { return try await connections.reply(to: sent, request) } catch {
                throw stream.failure ?? error
            }
        }
    #else
        // Read the whole file into memory: Foundation on Linux would send a stream without its
        // length, which homeservers refuse.
        private func upload(
            _ source: UploadSource, _ progress: @escaping @Sendable (TransferProgress) -> Void,
            of request: HTTPRequest, as sent: URLRequest
        ) async throws(BackendError) -> HTTPReply {
            var sent = sent
            let count = source.byteCount
            progress(TransferProgress(bytesTransferred: 0, bytesInAll: count))
            sent.httpBody = try source.data()
            let reply = try await connections.reply(to: sent, request)
            progress(TransferProgress(bytesTransferred: count, bytesInAll: count))
            return reply
        }
    #endif
}

/// The sessions of a transport, without the asynchronous methods of `URLSession`: these cancel the
/// request inside the cancellation handler of the task.
///
/// On Linux, this blocks until the session's queue is free, which may be waiting for the same task,
/// to resume it.
private final class Connections: Sendable {
    private let session = Session()
    // The server of a file may answer slowly, and occupy all connections.
    private let downloads = Session()
    private let uploads = Session()

    /// Sends a request, which fails after `limit` seconds: Foundation on Linux may never end a
    /// request if the server stops while the client is connecting, or if the header fields never
    /// end.
    func reply(
        to sent: URLRequest, _ request: HTTPRequest, within limit: TimeInterval? = nil
    ) async throws(BackendError) -> HTTPReply {
        let files = request.method == "GET" ? downloads : uploads
        let session = request.transfersFile ? files : session
        let exchange = Exchange(request) { session.cancel($0) }
        let alarm = limit.map { limit in
            Task {
                // The unneeded fields of a reply may take longer.
                var removedCount: Int64
                repeat {
                    removedCount = exchange.removedCount
                    try await Task.sleep(for: .seconds(limit))
                } while exchange.removedCount > removedCount
                exchange.end(.failure(.unanswered(request, "no reply in time")))
            }
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchange.begin(continuation)
                session.begin(exchange, sent)
            }
        } onCancel: {
            exchange.end(.failure(.canceled(request)))
        }
        alarm?.cancel()
        return try result.get()
    }
}

/// A `URLSession`, with a serial queue that creates and cancels its tasks.
///
/// On Linux, both may block, and blocked threads of concurrent queues are missing for Swift's
/// tasks.
private final class Session: Sendable {
    private let session: URLSession
    private let delegate = SessionDelegate()
    private let queue = DispatchQueue(label: "scrollback.http")

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 12
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        #if canImport(Darwin)
            let delegateQueue: OperationQueue? = nil
        #else
            let delegateQueue: OperationQueue? = BoundedQueue()
            delegateQueue?.maxConcurrentOperationCount = 1
        #endif
        session = URLSession(
            configuration: configuration, delegate: delegate, delegateQueue: delegateQueue)
    }

    #if canImport(Darwin)
        // On Linux, invalidating a session traps if a canceled request has not ended yet.
        deinit { session.finishTasksAndInvalidate() }
    #endif

    func begin(_ exchange: Exchange, _ sent: URLRequest) {
        queue.async { [self] in
            if !exchange.hasEnded { delegate.begin(exchange, session.dataTask(with: sent)) }
        }
    }

    func cancel(_ task: URLSessionTask) { queue.async { task.cancel() } }
}

#if !canImport(Darwin)
    /// A queue on which adding an operation waits while too many operations are pending.
    ///
    /// On Linux, a session adds an operation for each received piece of a reply, and the pieces
    /// would fill the memory if the delegate were slower.
    private final class BoundedQueue: OperationQueue, @unchecked Sendable {
        // @unchecked: the semaphore is thread-safe, and never replaced.
        private let places = DispatchSemaphore(value: 64)

        override func addOperation(_ operation: Operation) {
            places.wait()
            operation.completionBlock = { [places] in places.signal() }
            super.addOperation(operation)
        }
    }
#endif

private final class Exchange: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Result<HTTPReply, BackendError>, Never>?
        var result: Result<HTTPReply, BackendError>?
        var task: URLSessionTask?
        var reply: HTTPReply?
        var remover: FieldRemover?
        var hasEnded = false
    }

    let request: HTTPRequest
    private let state: Locked<State>
    private let cancel: @Sendable (URLSessionTask) -> Void

    init(_ request: HTTPRequest, cancel: @escaping @Sendable (URLSessionTask) -> Void) {
        self.request = request
        self.cancel = cancel
        state = Locked(
            State(
                remover: request.unneededFields.isEmpty ? nil : FieldRemover(request.unneededFields)
            ))
    }

    /// The number of bytes of the unneeded fields that have arrived.
    var removedCount: Int64 { state.withLock { $0.remover?.removedCount ?? 0 } }

    func begin(_ continuation: CheckedContinuation<Result<HTTPReply, BackendError>, Never>) {
        let result = state.withLock { state -> Result<HTTPReply, BackendError>? in
            if state.result == nil { state.continuation = continuation }
            return state.result
        }
        if let result { continuation.resume(returning: result) }
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func start(_ task: URLSessionTask) -> Bool {
        let isNeeded = state.withLock { state in
            if !state.hasEnded { state.task = task }
            return !state.hasEnded
        }
        if isNeeded { task.resume() } else { task.cancel() }
        return isNeeded
    }

    func begin(_ reply: HTTPReply, expectedByteCount: Int64) {
        let isBegun = state.withLock { state in
            if !state.hasEnded { state.reply = reply }
            return !state.hasEnded
        }
        let unneeded =
            request.unneededFields.isEmpty ? 0 : URLSessionTransport.maximumUnneededByteCount
        // The size is -1 if it is unknown; a server may declare any negative size.
        if isBegun { endIfTooLong(max(0, expectedByteCount) - unneeded) }
    }

    func append(_ data: Data) {
        let count = state.withLock { state -> (kept: Int, removed: Int64) in
            guard !state.hasEnded else { return (0, 0) }
            state.reply?.body.append(state.remover?.remove(from: data) ?? data)
            return (state.reply?.body.count ?? 0, state.remover?.removedCount ?? 0)
        }
        endIfTooLong(Int64(count.kept), removed: count.removed)
    }

    func end(_ error: (any Error)?) {
        let reply = state.withLock { $0.reply }
        if let error {
            end(.failure(BackendError(error, of: request)))
        } else {
            end(reply.map { .success($0) } ?? .failure(.unanswered(request, "no HTTP")))
        }
    }

    /// Ends a request, if it has not ended yet, and cancels its task.
    ///
    /// The continuation is resumed outside of the lock: resuming waits for the status lock of its
    /// task, which a cancellation handler may hold that waits for the lock of the request.
    func end(_ result: Result<HTTPReply, BackendError>) {
        let ended = state.withLock { state -> State? in
            guard !state.hasEnded else { return nil }
            defer { (state.hasEnded, state.result, state.continuation) = (true, result, nil) }
            return state
        }
        guard let ended else { return }
        ended.continuation?.resume(returning: result)
        if let task = ended.task { cancel(task) }
    }

    private func endIfTooLong(_ byteCount: Int64, removed: Int64 = 0) {
        guard
            byteCount > request.maximumByteCount
                || removed > URLSessionTransport.maximumUnneededByteCount
        else { return }
        end(
            .failure(
                BackendError(
                    .unanswered,
                    "the reply to \(request.method) \(request.url.path) is longer than "
                        + "\(request.maximumByteCount) bytes", detail: .malformedData)))
    }
}

private final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private let exchanges = Locked<[Int: Exchange]>([:])

    func begin(_ exchange: Exchange, _ task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
        if !exchange.start(task) { remove(task) }
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    private func remove(_ task: URLSessionTask) {
        _ = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    }

    // MARK: URLSessionDataDelegate

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
        exchange(of: task)?.end(.success(HTTPReply(response)))
    }

    func urlSession(
        _ session: URLSession, dataTask task: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
        guard let response = response as? HTTPURLResponse, let exchange = exchange(of: task) else {
            return
        }
        exchange.begin(
            HTTPReply(response), expectedByteCount: response.expectedContentLength)
    }

    func urlSession(
        _ session: URLSession, dataTask task: URLSessionDataTask, didReceive data: Data
    ) {
        exchange(of: task)?.append(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        completionHandler(.performDefaultHandling, nil)
        #if !canImport(Darwin)
            // The default handling of a status 401 without credentials never ends the task.
            exchange(of: task)?.end(nil)
        #endif
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        exchange(of: task)?.end(error)
        remove(task)
    }
}

extension HTTPReply {
    fileprivate init(_ response: HTTPURLResponse) {
        self.init(
            status: response.statusCode, body: Data(),
            location: response.value(forHTTPHeaderField: "Location"))
    }
}

extension BackendError {
    fileprivate static func canceled(_ request: HTTPRequest) -> BackendError {
        BackendError(.canceled, "\(request.method) \(request.url.path) was canceled")
    }

    fileprivate static func unanswered(_ request: HTTPRequest, _ reason: String) -> BackendError {
        BackendError(
            .unanswered, "\(request.method) \(request.url.path) was not answered: \(reason)")
    }

    fileprivate init(_ error: any Error, of request: HTTPRequest) {
        switch (error as? URLError)?.code {
        case .cancelled: self = .canceled(request)
        case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet,
            .dataNotAllowed, .internationalRoamingOff:
            self.init(.notConnected, "\(request.url.host ?? "the server") cannot be reached")
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
            self.init(
                .notConnected,
                "\(request.url.host ?? "the server") cannot be reached securely, because its "
                    + "certificate is not valid: \(error.localizedDescription)")
        // On Linux, the code for a wrong scheme also means that the reply is not in HTTP.
        case .unsupportedURL where request.url.scheme?.lowercased().hasPrefix("http") == true:
            self = .unanswered(request, "the reply is not in HTTP")
        case .badURL, .unsupportedURL:
            self.init(.refused, "\(request.url) is not an address of a server")
        default: self = .unanswered(request, error.localizedDescription)
        }
    }
}

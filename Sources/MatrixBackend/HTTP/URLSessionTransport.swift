import Dispatch
import Foundation
public import Models
import Sync

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends HTTP requests with `URLSession`.
///
/// Canceling the task of a request cancels only this request. The connections are shared by all
/// requests of a transport and its copies.
public struct URLSessionTransport: HTTPTransport {
    /// The timeout in seconds: a request fails if the server sends no byte for this time.
    ///
    /// A request without a file also fails if it takes longer than this time in total.
    private static let timeout: TimeInterval = 30

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
            return try await upload(source, progress, sent, request)
        }
        return try await connections.reply(to: sent, request, within: sent.timeoutInterval)
    }

    #if canImport(Darwin)
        private func upload(
            _ source: UploadSource, _ progress: @escaping @Sendable (TransferProgress) -> Void,
            _ sent: URLRequest, _ request: HTTPRequest
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
        // Read the whole file into memory: on Linux, Foundation would send a stream without its
        // length, which homeservers refuse.
        private func upload(
            _ source: UploadSource, _ progress: @escaping @Sendable (TransferProgress) -> Void,
            _ sent: URLRequest, _ request: HTTPRequest
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

/// The `URLSession` of a transport.
///
/// The asynchronous methods of `URLSession` are not used: they cancel the request inside the
/// cancellation handler of the task. On Linux, this blocks until the session's queue is free, and
/// that queue may be waiting for the same task, to resume it.
private final class Connections: Sendable {
    private let session: URLSession
    private let exchanges = Exchanges()

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 12
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        #if canImport(Darwin)
            let queue: OperationQueue? = nil
        #else
            let queue: OperationQueue? = BoundedQueue()
            queue?.maxConcurrentOperationCount = 1
        #endif
        session = URLSession(
            configuration: configuration, delegate: exchanges, delegateQueue: queue)
    }

    #if canImport(Darwin)
        // On Linux, invalidating a session traps if a canceled request has not ended yet.
        deinit { session.finishTasksAndInvalidate() }
    #endif

    /// Sends a request, which fails after `limit` seconds.
    ///
    /// On Linux, Foundation itself may never end a request if the server stops while the client is
    /// connecting.
    func reply(
        to sent: URLRequest, _ request: HTTPRequest, within limit: TimeInterval? = nil
    ) async throws(BackendError) -> HTTPReply {
        let task = session.dataTask(with: sent)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchanges.begin(request, task, limit, continuation)
            }
        } onCancel: {
            exchanges.end(task, .failure(.canceled(request)))
            exchanges.cancel(task)
        }
        return try result.get()
    }
}

#if !canImport(Darwin)
    /// A queue on which adding an operation waits while too many operations are pending.
    ///
    /// On Linux, a session adds an operation for each piece of a reply, as fast as the server sends
    /// the pieces. If the delegate were slower, the pieces would fill the memory.
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

/// The requests of a `URLSession` that are in flight.
private final class Exchanges: NSObject, URLSessionDataDelegate {
    private typealias Continuation = CheckedContinuation<Result<HTTPReply, BackendError>, Never>

    private struct Exchange {
        let request: HTTPRequest
        let continuation: Continuation
        /// Ends the request at its timeout.
        let alarm: Task<Void, any Error>?
        var reply: HTTPReply?
    }

    /// The requests in flight, by the identifiers of the session's tasks.
    private let exchanges = Locked<[Int: Exchange]>([:])
    /// Calls `cancel()` of the session's tasks, which may block.
    private let canceling = DispatchQueue(label: "scrollback.http.cancel", attributes: .concurrent)

    func begin(
        _ request: HTTPRequest, _ task: URLSessionTask, _ limit: TimeInterval?,
        _ continuation: CheckedContinuation<Result<HTTPReply, BackendError>, Never>
    ) {
        let alarm = limit.map { limit in
            Task {
                try await Task.sleep(for: .seconds(limit))
                end(task, .failure(.unanswered(request, "no reply in time")))
                cancel(task)
            }
        }
        exchanges.withLock {
            $0[task.taskIdentifier] = Exchange(
                request: request, continuation: continuation, alarm: alarm)
        }
        // If the task was canceled before the request was recorded, its handler found nothing.
        guard !Task.isCancelled else { return end(task, .failure(.canceled(request))) }
        task.resume()
    }

    /// Ends a request, if it has not ended yet.
    ///
    /// The continuation is resumed outside of the lock: resuming waits for the status lock of its
    /// task, which a cancellation handler may hold that waits for the lock of the requests.
    func end(_ task: URLSessionTask, _ result: Result<HTTPReply, BackendError>?) {
        let ended = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        guard let ended else { return }
        ended.alarm?.cancel()
        let result =
            result ?? ended.reply.map { .success($0) }
            ?? .failure(.unanswered(ended.request, "the reply is not in HTTP"))
        ended.continuation.resume(returning: result)
    }

    /// Cancels a task of the session without waiting.
    func cancel(_ task: URLSessionTask) { canceling.async { task.cancel() } }

    private func endTooLong(_ task: URLSessionTask, _ request: HTTPRequest) {
        end(
            task,
            .failure(
                BackendError(
                    .unanswered,
                    "the reply to \(request.method) \(request.url.path) is longer than "
                        + "\(request.maximumByteCount) bytes", detail: .malformedData)))
        cancel(task)
    }

    // MARK: URLSessionDataDelegate

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let location = response.value(forHTTPHeaderField: "Location")
        end(
            task,
            .success(HTTPReply(status: response.statusCode, body: Data(), location: location)))
        completionHandler(nil)
        cancel(task)
    }

    func urlSession(
        _ session: URLSession, dataTask task: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
        guard let response = response as? HTTPURLResponse else { return }
        let tooLong = exchanges.withLock { exchanges -> HTTPRequest? in
            let id = task.taskIdentifier
            exchanges[id]?.reply = HTTPReply(
                status: response.statusCode, body: Data(),
                location: response.value(forHTTPHeaderField: "Location"))
            guard let request = exchanges[id]?.request else { return nil }
            return response.expectedContentLength > request.maximumByteCount ? request : nil
        }
        if let tooLong { endTooLong(task, tooLong) }
    }

    func urlSession(
        _ session: URLSession, dataTask task: URLSessionDataTask, didReceive data: Data
    ) {
        let tooLong = exchanges.withLock { exchanges -> HTTPRequest? in
            let id = task.taskIdentifier
            exchanges[id]?.reply?.body.append(data)
            guard let exchange = exchanges[id], let reply = exchange.reply else { return nil }
            return reply.body.count > exchange.request.maximumByteCount ? exchange.request : nil
        }
        if let tooLong { endTooLong(task, tooLong) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let request = exchanges.withLock { $0[task.taskIdentifier]?.request }
        guard let request else { return }
        end(task, error.map { .failure(BackendError($0, of: request)) })
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
        case .badURL, .unsupportedURL:
            self.init(.refused, "\(request.url) is not an address of a server")
        default: self = .unanswered(request, error.localizedDescription)
        }
    }
}

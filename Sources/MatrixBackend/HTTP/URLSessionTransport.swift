import Foundation
public import Models
import Sync

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends HTTP requests with `URLSession`.
///
/// Canceling the task of a request cancels only this request. The `URLSession` is never
/// invalidated, because invalidating it while a request is in flight traps on Linux.
public struct URLSessionTransport: HTTPTransport {
    /// The timeout in seconds: a request fails if the server sends no byte for this time.
    ///
    /// A request without a file also fails if it takes longer than this time in total.
    private static let timeout: TimeInterval = 30

    private let session: URLSession

    /// Creates a transport with its own connections, caches and cookies.
    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 12
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        session = URLSession(configuration: configuration)
    }

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
        return try await replyInTime(to: sent, request)
    }

    /// Sends a request, and cancels it at its timeout.
    ///
    /// On Linux, Foundation may never end a request if the server stops while the client is
    /// connecting.
    private func replyInTime(
        to sent: URLRequest, _ request: HTTPRequest
    ) async throws(BackendError) -> HTTPReply {
        let work = Task { () async -> Result<HTTPReply, BackendError> in
            do throws(BackendError) { return .success(try await reply(to: sent, request)) } catch {
                return .failure(error)
            }
        }
        let alarm = Task {
            try await Task.sleep(for: .seconds(sent.timeoutInterval))
            work.cancel()
        }
        let result = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
        alarm.cancel()
        do { return try result.get() } catch {
            guard error.code == .canceled, !Task.isCancelled else { throw error }
            throw BackendError(
                .unanswered, "\(request.method) \(request.url.path) was not answered in time")
        }
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
            do { return try await reply(to: sent, request) } catch { throw stream.failure ?? error }
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
            let reply = try await reply(to: sent, request)
            progress(TransferProgress(bytesTransferred: count, bytesInAll: count))
            return reply
        }
    #endif

    private func reply(
        to sent: URLRequest, _ request: HTTPRequest
    ) async throws(BackendError) -> HTTPReply {
        do {
            let (body, response) = try await session.data(for: sent)
            guard let response = response as? HTTPURLResponse else {
                throw BackendError(.unanswered, "\(request.url.path) did not answer in HTTP")
            }
            return HTTPReply(status: response.statusCode, body: body)
        } catch {
            throw BackendError(error, of: request)
        }
    }
}

extension BackendError {
    fileprivate init(_ error: any Error, of request: HTTPRequest) {
        let what = "\(request.method) \(request.url.path)"
        switch (error as? URLError)?.code {
        case _ where error is BackendError: self = error as! BackendError
        case .cancelled: self.init(.canceled, "\(what) was canceled")
        case _ where error is CancellationError: self.init(.canceled, "\(what) was canceled")
        case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet,
            .secureConnectionFailed, .serverCertificateUntrusted, .dataNotAllowed,
            .internationalRoamingOff:
            self.init(.notConnected, "\(request.url.host ?? "the server") cannot be reached")
        case .badURL, .unsupportedURL:
            self.init(.refused, "\(request.url) is not an address of a server")
        default: self.init(.unanswered, "\(what) was not answered: \(error.localizedDescription)")
        }
    }
}

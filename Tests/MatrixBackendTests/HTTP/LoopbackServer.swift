import Foundation
import Models

#if canImport(Glibc)
    import Glibc
#endif

/// An HTTP server on a loopback port, which answers each connection as the test determines.
///
/// Each connection has one request.
final class LoopbackServer: Sendable {
    /// A connection, after its request was read.
    struct Connection {
        /// The lines of the request before its body.
        let head: [String]
        fileprivate let socket: Int32

        /// The method and the path.
        var request: String {
            head.first?.split(separator: " ").prefix(2).joined(separator: " ") ?? ""
        }

        /// Returns whether the client still reads.
        @discardableResult
        func write(_ text: String) -> Bool { write(Data(text.utf8)) }

        @discardableResult
        func write(_ data: Data) -> Bool {
            var rest = data[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    send(socket, $0.baseAddress, $0.count, noSignal)
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        func reply(_ status: Int = 200, _ fields: String..., body: String = "{}") {
            var lines = ["HTTP/1.1 \(status) Status", "Content-Length: \(body.utf8.count)"]
            lines += fields + ["Connection: close", "", body]
            write(lines.joined(separator: "\r\n"))
        }

        /// Closes the connection with a reset instead of an orderly end.
        func reset() {
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                socket, SOL_SOCKET, SO_LINGER, &linger,
                socklen_t(MemoryLayout.size(ofValue: linger)))
        }
    }

    let port: Int
    private let listener: Int32
    private let heads = Locked<[[String]]>([])
    private let answer: @Sendable (Connection) -> Void

    struct Failed: Error {}

    init(_ answer: @escaping @Sendable (Connection) -> Void) throws {
        self.answer = answer
        listener = socket(AF_INET, streamSocket, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout.size(ofValue: address))
        let (socket, size) = (listener, length)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, size) | listen(socket, 128)
                    | getsockname(socket, pointer, &length)
            }
        }
        guard status == 0 else { throw Failed() }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(socket, nil, nil)
                guard connection >= 0 else { return }
                // Tests may block these threads.
                Thread.detachNewThread { self.serve(connection) }
            }
        }
    }

    var url: URL { URL(string: "http://127.0.0.1:\(port)")! }

    /// The requests, each as its method and its path.
    var requests: [String] {
        heads.withLock { $0 }.map { Connection(head: $0, socket: -1).request }
    }

    /// The access tokens, one for each request.
    var tokens: [String?] {
        heads.withLock { $0 }.map { head in
            head.first { $0.lowercased().hasPrefix("authorization: ") }
                .map { String($0.split(separator: " ").last ?? "") }
        }
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve(_ socket: Int32) {
        defer { close(socket) }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        let end = Data("\r\n\r\n".utf8)
        while true {
            let bound = data.range(of: end)
            if let bound {
                let head = String(decoding: data[..<bound.lowerBound], as: UTF8.self)
                    .components(separatedBy: "\r\n")
                let length = head.first { $0.lowercased().hasPrefix("content-length: ") }
                    .flatMap { Int($0.split(separator: " ")[1]) }
                if data.count >= bound.upperBound + (length ?? 0) {
                    heads.withLock { $0.append(head) }
                    return answer(Connection(head: head, socket: socket))
                }
            }
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            data.append(contentsOf: buffer[..<count])
        }
    }
}

#if canImport(Glibc)
    private let streamSocket = Int32(SOCK_STREAM.rawValue)
    private let noSignal = Int32(MSG_NOSIGNAL)
#else
    private let streamSocket = SOCK_STREAM
    private let noSignal: Int32 = 0
#endif

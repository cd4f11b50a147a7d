#if Inspector
    import Foundation

    /// A request; each header occurs at most once.
    struct HTTPRequest: Sendable {
        let method: String
        /// The path as sent, without the query.
        let path: String
        let query: [String: String]
        /// The headers, by lowercase names.
        let headers: [String: String]
        var body = Data()
    }

    extension HTTPRequest {
        static let headLimit = 16 << 10
        static let bodyLimit = 64 << 10

        /// The announced number of bytes of the body; throws if it is too large, or not a number.
        var bodyCount: Int {
            get throws(Refusal) {
                guard headers["transfer-encoding"] == nil else {
                    throw Refusal(status: .badRequest, text: "The request has a transfer encoding.")
                }
                guard let text = headers["content-length"] else { return 0 }
                guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                    let count = Int(text)
                else { throw Refusal(status: .badRequest, text: "The length is not a number.") }
                guard count <= HTTPRequest.bodyLimit else {
                    throw Refusal(status: .tooLong, text: "The body is too long.")
                }
                return count
            }
        }

        struct Refusal: Error {
            let status: HTTPResponse.Status
            let text: String
        }

        /// Reads the request line and the headers, which end with an empty line.
        ///
        /// A repeated header is refused: servers and proxies could see different values.
        init(head: Data) throws(Refusal) {
            let malformed = Refusal(status: .badRequest, text: "The request is malformed.")
            guard let text = String(data: head, encoding: .utf8) else { throw malformed }
            var lines = text.components(separatedBy: "\r\n")
            guard lines.count > 2, lines.removeLast().isEmpty, lines.removeLast().isEmpty,
                lines.allSatisfy({ !$0.unicodeScalars.contains(where: HTTPRequest.isControl) })
            else { throw malformed }
            let parts = lines.removeFirst().split(
                separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[2] == "HTTP/1.1" || parts[2] == "HTTP/1.0",
                parts[1].hasPrefix("/"),
                let target = URLComponents(string: "http://localhost\(parts[1])")
            else { throw malformed }
            var headers: [String: String] = [:]
            for line in lines {
                guard let colon = line.firstIndex(of: ":") else { throw malformed }
                let name = line[..<colon].lowercased()
                guard !name.isEmpty, name.utf8.allSatisfy(HTTPRequest.isTokenByte) else {
                    throw malformed
                }
                let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                guard headers.updateValue(value, forKey: name) == nil else {
                    throw Refusal(
                        status: .badRequest, text: "The request has the header \(name) twice.")
                }
            }
            var query: [String: String] = [:]
            for item in target.queryItems ?? [] { query[item.name] = item.value ?? "" }
            (method, path) = (String(parts[0]), target.percentEncodedPath)
            (self.query, self.headers) = (query, headers)
        }

        private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
            scalar.value < 0x20 && scalar != "\t" || scalar.value == 0x7F
        }

        private static func isTokenByte(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
    }

    /// A response, after which the server closes the connection.
    struct HTTPResponse: Sendable {
        enum Status: String {
            case ok = "200 OK"
            case badRequest = "400 Bad Request"
            case forbidden = "403 Forbidden"
            case notFound = "404 Not Found"
            case methodNotAllowed = "405 Method Not Allowed"
            case conflict = "409 Conflict"
            case tooLong = "413 Content Too Large"
            case headTooLong = "431 Request Header Fields Too Large"
        }

        enum Body {
            case data(Data)
            /// Pieces to send as they arrive.
            case stream(AsyncStream<Data>)
        }

        let status: Status
        let type: String
        var headers: [(name: String, value: String)] = []
        let body: Body

        var head: Data {
            var lines = [
                "HTTP/1.1 \(status.rawValue)", "Connection: close", "Content-Type: \(type)",
                "Cache-Control: no-store", "X-Content-Type-Options: nosniff",
                "Referrer-Policy: no-referrer", "Cross-Origin-Resource-Policy: same-origin",
            ]
            if case .data(let data) = body { lines.append("Content-Length: \(data.count)") }
            lines += headers.map { "\($0.name): \($0.value)" }
            return Data((lines + ["", ""]).joined(separator: "\r\n").utf8)
        }
    }
#endif

import Foundation
import Models

/// Requests contain passwords, tokens and messages: they are encrypted, except on the device
/// itself.
struct AddressPolicy {
    var allowsLoopback = true
    var allowsUnencrypted = false

    /// Throws unless requests may be sent to a URL.
    ///
    /// The base of other URLs may not have a query.
    func check(_ url: URL, isBase: Bool = false) throws(BackendError) {
        let host = url.host(percentEncoded: true) ?? ""
        // A URL has the address of IPv6 without brackets.
        let isHost = ServerName(host.contains(":") ? "[\(host)]" : host) != nil
        func refuse(_ reason: String) -> BackendError {
            BackendError(
                .refused, "\(url.scheme ?? "")://\(host) is no address of a homeserver: \(reason)",
                detail: .invalidParameter)
        }
        guard isHost, !host.isShortenedAddress else { throw refuse("it has no valid host") }
        guard url.user == nil, url.password == nil else { throw refuse("it names a user") }
        guard url.fragment == nil, url.query == nil || !isBase else {
            throw refuse("it has a query or a fragment")
        }
        guard !host.isLinkLocal else { throw refuse("it is a link-local address") }
        switch url.scheme?.lowercased() {
        case "https": break
        case "http" where allowsUnencrypted || (allowsLoopback && host.isLoopback): break
        case "http":
            throw refuse(
                "use https, or set MatrixBackend.Options.allowsUnencryptedHTTP in a test network")
        default: throw refuse("its scheme is not https")
        }
    }
}

/// A host name, an IPv4 address or an IPv6 address in brackets, and optionally a port.
struct ServerName {
    let host: String
    let port: Int?

    init?(_ text: some StringProtocol) {
        let text = String(text)
        guard
            let match = text.wholeMatch(
                of: #/(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9.\-]{1,230})(?::([0-9]{1,5}))?/#),
            !match.1.hasPrefix("."), !match.1.contains("..")
        else { return nil }
        host = String(match.1)
        port = match.2.flatMap { Int($0) }
        if let port, !(1...65535).contains(port) { return nil }
    }

    /// Returns the server name of an ID of the form `@name:server`.
    init?(ofUser id: String) {
        guard id.utf8.count <= 255, id.hasPrefix("@"), let colon = id.firstIndex(of: ":") else {
            return nil
        }
        self.init(id[id.index(after: colon)...])
    }

    var text: String { port.map { "\(host):\($0)" } ?? host }
}

extension String {
    /// The bytes of an IP address: four, also for an IPv4 address in IPv6, or sixteen; empty for a
    /// host name.
    private var addressBytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, self, &bytes) == 1 { return Array(bytes[..<4]) }
        guard inet_pton(AF_INET6, self, &bytes) == 1 else { return [] }
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10...11] == [0xFF, 0xFF]
        return isMapped ? Array(bytes[12...]) : bytes
    }

    /// True for an address in a form such as `127.1`, `0177.0.0.1` or `2130706433`, which systems
    /// read differently.
    ///
    /// The last part of a host name is not a number.
    fileprivate var isShortenedAddress: Bool {
        guard addressBytes.isEmpty else { return false }
        let last = lowercased().split(separator: ".").last ?? ""
        return last.hasPrefix("0x") || last.allSatisfy(\.isNumber)
    }

    fileprivate var isLoopback: Bool {
        let bytes = addressBytes
        return lowercased() == "localhost" || bytes.count == 4 && bytes[0] == 127
            || bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Clouds offer the credentials of their machines at such addresses.
    fileprivate var isLinkLocal: Bool {
        let bytes = addressBytes
        return bytes.count == 4 && bytes.starts(with: [169, 254])
            || bytes.count == 16 && bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }
}

extension HTTPTransport {
    private static var maximumRedirectCount: Int { 5 }

    /// Sends a request, and follows redirects.
    ///
    /// Only `GET` is redirected, and never from `https` to `http`; to another origin (scheme, host
    /// and port) only if `leavesOrigin` is `true`, and then without the access token.
    ///
    /// The method throws `unanswered` for a redirect that is not followed, because the login page
    /// of a network may have caused it, and `refused` for an error of another origin.
    func reply(
        to request: HTTPRequest, leavesOrigin: Bool, _ policy: AddressPolicy
    ) async throws(BackendError) -> HTTPReply {
        var request = request
        let origin = request.url.origin
        for _ in 0...Self.maximumRedirectCount {
            let reply = try await send(request)
            guard [301, 302, 303, 307, 308].contains(reply.status), let location = reply.location
            else {
                // An error of another server, such as 401, says nothing about the session.
                guard request.url.origin == origin || (200..<300).contains(reply.status) else {
                    throw BackendError(
                        .refused, "\(request.url.path) has status \(reply.status) elsewhere")
                }
                return reply
            }
            try request.redirect(to: location, leavesOrigin: leavesOrigin, policy)
        }
        throw BackendError(
            .unanswered, "\(request.url.path) has more than \(Self.maximumRedirectCount) redirects")
    }
}

extension HTTPRequest {
    fileprivate mutating func redirect(
        to location: String, leavesOrigin: Bool, _ policy: AddressPolicy
    ) throws(BackendError) {
        func refuse(_ reason: String) -> BackendError {
            BackendError(.unanswered, "\(method) \(url.path) was redirected: \(reason)")
        }
        guard method == "GET" else { throw refuse("only GET may be") }
        guard let target = URL(string: location, relativeTo: url)?.absoluteURL else {
            throw refuse("the target is no address")
        }
        do { try policy.check(target) } catch { throw refuse(error.message) }
        guard url.scheme?.lowercased() != "https" || target.scheme?.lowercased() == "https" else {
            throw refuse("the target is not encrypted")
        }
        if target.origin != url.origin {
            guard leavesOrigin else { throw refuse("the target is another server") }
            // Otherwise, a homeserver on this device could reach its other programs.
            guard target.scheme?.lowercased() == "https" || policy.allowsUnencrypted else {
                throw refuse("the target is another server, and not encrypted")
            }
            headers["Authorization"] = nil
        }
        url = target
    }
}

extension URL {
    fileprivate var origin: [String] {
        let scheme = scheme?.lowercased() ?? ""
        let port = port ?? (scheme == "https" ? 443 : 80)
        return [scheme, host(percentEncoded: true)?.lowercased() ?? "", "\(port)"]
    }
}

import Foundation
import Models

struct MatrixRequest {
    var method: String
    /// The path of the API, before the parts of ``path``, which are not percent-encoded yet.
    var api = "_matrix/client/v3"
    var path: [String]
    var query: [(String, String)] = []
    var body = HTTPBody.none
    var contentType = "application/json"
    var kind = RateLimits.Kind.reading
    var wait = Duration.zero
    var isAuthorized = true
    /// True for a file, which the server may keep elsewhere.
    var isOfFile = false
    /// The maximum size of a file or a value to change; `nil` for the maximum of other replies.
    var maximumByteCount: Int?
    /// Fields in addition to the references, which no request needs.
    var unneededFields: [UnneededField] = []
    private(set) var mayBeCut = true

    static func get(
        _ path: String..., query: [(String, String)] = [], api: String = "_matrix/client/v3"
    ) -> MatrixRequest {
        MatrixRequest(method: "GET", api: api, path: path, query: query)
    }

    static func put(
        _ path: String..., body: JSONValue, kind: RateLimits.Kind = .managing
    ) -> MatrixRequest {
        MatrixRequest(method: "PUT", path: path, body: .json(body), kind: kind)
    }

    static func post(
        _ path: String..., body: JSONValue = [:], kind: RateLimits.Kind = .managing
    ) -> MatrixRequest {
        MatrixRequest(method: "POST", path: path, body: .json(body), kind: kind)
    }

    /// The request for a value that is written back after a change: what ``ReplyCutter`` removed
    /// from it would be lost, so its size is limited instead.
    var forWritingBack: MatrixRequest {
        var request = self
        (request.mayBeCut, request.maximumByteCount) = (false, 1 << 20)
        return request
    }

    /// Throws `refused` if a part of the path is `.` or `..`, or contains it as a segment of a
    /// request that changes something, because the request would go to another path, or if a header
    /// contains control characters: IDs and tokens of a server may have any form.
    func http(
        at homeserver: URL, token: String?, maximumByteCount: Int
    ) throws(BackendError) -> HTTPRequest {
        // A proxy may decode the slashes of an ID. It must not change anything elsewhere.
        let isInvalid =
            method == "GET"
            ? path.contains(".") || path.contains("..") : path.contains(where: \.hasDotSegment)
        guard !isInvalid else {
            throw BackendError(
                .refused, "\(path.joined(separator: "/")) contains an invalid ID",
                detail: .invalidParameter)
        }
        let base = homeserver.absoluteString
        var text = base.hasSuffix("/") ? String(base.dropLast()) : base
        for part in [api] + path.map(\.percentEncoded) { text += "/" + part }
        if !query.isEmpty {
            text += "?" + query.map { "\($0)=\($1.percentEncoded)" }.joined(separator: "&")
        }
        guard let url = URL(string: text) else {
            throw BackendError(.refused, "\(text) is not an address", detail: .invalidParameter)
        }
        var request = HTTPRequest(
            method, url, maximumByteCount: self.maximumByteCount ?? maximumByteCount)
        request.body = body
        request.wait = wait
        request.transfersFile = isOfFile
        if case .file = body { request.transfersFile = true }
        request.unneededFields = unneededFields
        if !isOfFile, mayBeCut { request.unneededFields.append(.references) }
        if case .none = body {} else { request.headers["Content-Type"] = contentType }
        if isAuthorized, let token { request.headers["Authorization"] = "Bearer \(token)" }
        // A line end would begin another header or another request.
        guard !request.headers.values.contains(where: \.hasControls) else {
            throw BackendError(
                .refused, "the media type or the token contains control characters",
                detail: .invalidParameter)
        }
        return request
    }
}

extension UnneededField {
    /// Servers add the IDs of all events that refer to an event, without a limit.
    static let references = UnneededField("m.reference", of: "m.relations")
}

extension HTTPBody {
    static func json(_ value: JSONValue) -> HTTPBody {
        // Encoding a tree of JSON values never fails.
        .data((try? JSONEncoder().encode(value)) ?? Data())
    }
}

extension String {
    fileprivate var hasControls: Bool {
        unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    fileprivate var percentEncoded: String {
        addingPercentEncoding(withAllowedCharacters: .unreserved) ?? self
    }
}

extension CharacterSet {
    fileprivate static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

extension BackendError {
    /// Returns `true` if the homeserver does not know the path of a request because a proxy has
    /// decoded the slashes of the ID.
    func cannotName(_ id: String) -> Bool { code == .unsupported && id.hasSlash }
}

extension String {
    var hasSlash: Bool { unicodeScalars.contains(where: \.isSlash) }

    /// `true` if the text contains `.` or `..` between slashes or backslashes.
    var hasDotSegment: Bool {
        unicodeScalars.split(whereSeparator: \.isSlash).contains { part in
            part.elementsEqual(".".unicodeScalars) || part.elementsEqual("..".unicodeScalars)
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isSlash: Bool { self == "/" || self == "\\" }
}

public import Foundation
public import Models
public import Sync

extension MatrixBackend {
    /// Uploads a file piece by piece.
    ///
    /// Without a media type, the extension of the name determines it. A repeated upload creates
    /// another file on the server.
    public func upload(
        _ file: UploadableFile, from source: UploadSource, requestID: RequestID,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(BackendError) -> FileInfo {
        let name = file.name ?? "file"
        var request = MatrixRequest(
            method: "POST", api: "_matrix/media/v3", path: ["upload"], query: [("filename", name)])
        request.body = .file(source, progress)
        request.contentType = file.mediaType ?? "application/octet-stream"
        request.kind = .managing
        let reply: UploadReply = try await call(request)
        var info = FileInfo(
            url: reply.content_uri.text, name: name, mimeType: file.mediaType,
            size: source.byteCount)
        info.requiresAuth = true
        return info
    }

    /// Downloads a file of a homeserver, whose URL has the scheme `mxc`.
    ///
    /// - Throws: `refused` if the file is encrypted, which the backend cannot decrypt; if the URL
    ///   has another form; or if the file is larger than its declared size or
    ///   ``Options/maximumFileByteCount``.
    public func download(_ file: FileInfo) async throws(BackendError) -> Data {
        guard file.customType != FileInfo.encryptedType else {
            throw BackendError(
                .refused, "\(file.name ?? file.url) is encrypted, and cannot be decrypted",
                detail: .invalidParameter)
        }
        guard file.url.utf8.count <= WireLimit.token,
            let match = file.url.wholeMatch(of: #/mxc://([^/]*)/([A-Za-z0-9_.~\-]{1,255})/#),
            let server = ServerName(match.1)
        else {
            throw BackendError(
                .refused, "\(file.url) is not the URL of a Matrix file", detail: .invalidParameter)
        }
        var request = MatrixRequest.get(
            "media", "download", server.text, String(match.2), api: "_matrix/client/v1")
        request.isOfFile = true
        request.kind = .downloading(from: server.text)
        let declared = file.size.flatMap { $0 > 0 ? $0 : nil } ?? .max
        request.maximumByteCount = min(declared, options.maximumFileByteCount)
        do {
            return try await reply(to: request).body
        } catch  where error.detail == .malformedData {
            throw BackendError(.refused, error.message, detail: .fileSizeLimitExceeded)
        }
    }
}

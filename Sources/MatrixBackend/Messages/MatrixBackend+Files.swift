public import Foundation
public import Models
public import Sync

// Files. They are media of the homeserver, and only signed-in users can download them.
extension MatrixBackend {
    /// Uploads a file piece by piece.
    ///
    /// If the file has no media type, the extension of its name determines the type.
    ///
    /// A repeated upload creates another file on the server. The message refers to only one of
    /// these files.
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
            url: reply.content_uri, name: name, mimeType: file.mediaType, size: source.byteCount)
        info.requiresAuth = true
        return info
    }

    /// Downloads a file of a homeserver, whose URL has the scheme `mxc`.
    ///
    /// - Throws: `refused` if the file is encrypted, because the backend cannot decrypt it.
    public func download(_ file: FileInfo) async throws(BackendError) -> Data {
        guard file.customType != FileInfo.encryptedType else {
            throw BackendError(
                .refused, "\(file.name ?? file.url) is encrypted, and cannot be decrypted",
                detail: .invalidParameter)
        }
        guard let url = URL(string: file.url), url.scheme == "mxc", let server = url.host() else {
            throw BackendError(
                .refused, "\(file.url) is not the URL of a Matrix file", detail: .invalidParameter)
        }
        let port = url.port.map { ":\($0)" } ?? ""
        return try await reply(
            to: .get(
                "media", "download", server + port, url.lastPathComponent,
                api: "_matrix/client/v1")
        ).body
    }
}

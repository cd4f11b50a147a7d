import Models
import Store

struct OutboxUpload: ChannelCall, Hashable {
    static let declaration = CoreCall.Upload.declaration

    let item: OutboxItem
    let index: Int

    var channelURL: ChannelURL { item.channelURL }
    var detail: String { "file \(index + 1) of \(item.requestID)" }

    func make(on backend: any Backend) async throws(BackendError) -> FileInfo {
        try await make(on: backend, files: nil) { _ in }
    }

    func make(
        on backend: any Backend, files: OutboxFiles?,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(BackendError) -> FileInfo {
        let source = try UploadSource(item, index, in: files)
        var file = item.files[index]
        // The backend must read the file only through the source, which verifies the bytes.
        (file.data, file.path) = (nil, nil)
        let upload = CoreCall.Upload(
            file: file, source: source, requestID: item.requestID, progress: progress)
        let result: Result<FileInfo, BackendError>
        do throws(BackendError) {
            result = .success(try await upload.make(on: backend))
        } catch {
            result = .failure(error)
        }
        // The upload of a damaged file fails, even if the backend returned a result.
        if let damage = source.damage { throw damage }
        let uploaded = try result.get()
        // Without a URL, the file would be uploaded again and again.
        guard !uploaded.url.isEmpty else {
            throw BackendError(
                .refused, "the server returned no URL of \(detail)", detail: .malformedData)
        }
        return uploaded
    }

    /// Keeps the bytes of the uploaded file, so that the user's own file is not downloaded.
    func keep(
        as file: FileInfo, in store: ChatStore, within limits: DownloadLimits, at time: Timestamp
    ) async {
        // A file of the app may have changed since the upload.
        guard item.fileCopy(at: index) != nil || item.files[index].data != nil,
            let downloads = store.downloads, let key = file.downloadKey
        else { return }
        downloads.begin(key)
        defer { downloads.end(key) }
        // A file that cannot be kept is downloaded when it is shown.
        try? await onDisk { () throws(StoreError) in
            guard let source = try? UploadSource(item, index, in: store.outboxFiles),
                source.byteCount <= limits.fileByteCount, let bytes = try? source.data()
            else { return }
            try downloads.keep(bytes, of: key, within: limits, at: time)
        }
    }
}

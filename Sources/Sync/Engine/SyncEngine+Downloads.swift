package import Foundation
package import Models
package import Store

/// A download with the callers that wait for it.
struct SharedDownload {
    let task: Task<Void, Never>
    var tickets: Set<Int>
}

extension SyncEngine {
    /// Returns the kept bytes of a file or, if there are none, downloads and keeps them.
    ///
    /// Calls for the same file share one request, which is canceled when all of them are.
    package func download(
        _ file: FileInfo, keeping limits: DownloadLimits
    ) async throws(SyncError) -> Data {
        guard let key = file.downloadKey else { return try await request(file) }
        return try await awaitReply { ticket in
            join(file, key, limits, ticket: ticket)
            // The answer comes from the task of the download.
            return .changed
        }
    }

    private func join(
        _ file: FileInfo, _ key: String, _ limits: DownloadLimits, ticket: Int
    ) {
        let bytes = Array(key.utf8)
        if downloads[bytes] != nil {
            downloads[bytes]?.tickets.insert(ticket)
            return
        }
        let task = Task { [weak self] in
            guard let self else { return }
            await self.share(file, key, limits)
        }
        downloads[bytes] = SharedDownload(task: task, tickets: [ticket])
    }

    private func share(_ file: FileInfo, _ key: String, _ limits: DownloadLimits) async {
        let result: Result<any Sendable, SyncError>
        do throws(SyncError) {
            result = .success(try await keptOrDownloaded(file, key, limits))
        } catch {
            result = .failure(error)
        }
        // After all callers were canceled, another download may have replaced this one. The end of
        // the engine answers the callers itself, and cancels this task only later.
        guard !Task.isCancelled, !isClosed,
            let download = downloads.removeValue(forKey: Array(key.utf8))
        else { return }
        for ticket in download.tickets {
            tickets.removeValue(forKey: ticket)?.resume(returning: result)
        }
    }

    /// Cancels a download if its last caller was canceled.
    func leaveDownload(_ ticket: Int) {
        guard let (key, download) = downloads.first(where: { $0.value.tickets.contains(ticket) })
        else { return }
        guard download.tickets.count == 1 else {
            downloads[key]?.tickets.remove(ticket)
            return
        }
        downloads[key] = nil
        download.task.cancelWithoutWaiting()
    }

    private func keptOrDownloaded(
        _ file: FileInfo, _ key: String, _ limits: DownloadLimits
    ) async throws(SyncError) -> Data {
        guard let files = store.downloads else { return try await request(file) }
        guard limits.totalByteCount > 0 else {
            // A file that cannot be removed now is not used either.
            try? await onDisk { () throws(StoreError) in try files.removeAll() }
            return try await request(file)
        }
        files.begin(key)
        defer { files.end(key) }
        let now = now
        let kept = try await onDisk { () throws(StoreError) in
            files.bytes(of: key, within: limits, at: now())
        }
        if let kept { return kept }
        let bytes = try await request(file)
        // If the file cannot be kept, for example on a full disk, it is downloaded again.
        try? await onDisk { () throws(StoreError) in
            try files.keep(bytes, of: key, within: limits, at: now())
        }
        return bytes
    }

    private func request(_ file: FileInfo) async throws(SyncError) -> Data {
        try await make(Uncached(call: CoreCall.Download(file: file)))
    }
}

import Sync

extension SyncError {
    static func disposed(_ what: String) -> SyncError {
        SyncError(.disposed, "the collection of \(what) was disposed")
    }
}

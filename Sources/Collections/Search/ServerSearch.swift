public import Models
public import Sync

/// The part of the messages that the server has searched for a ``MessageSearch``.
public struct ServerSearch: Sendable {
    /// A Boolean value that indicates whether the server has searched all messages.
    public internal(set) var isComplete = false

    /// The time after which the server has searched all messages that it had at the call of
    /// ``MessageSearch/searchServer()``; `nil` if it has searched none, or all.
    public internal(set) var searchedAfter: Timestamp?

    /// The error of the last request, if any.
    public internal(set) var error: SyncError?

    var cursor: PageCursor?

    mutating func add(_ page: ServerSearchPage) {
        (error, cursor) = (nil, page.next)
        isComplete = page.next == nil
        if isComplete {
            searchedAfter = nil
        } else if let time = page.searchedAfter {
            searchedAfter = min(searchedAfter ?? time, time)
        }
    }
}

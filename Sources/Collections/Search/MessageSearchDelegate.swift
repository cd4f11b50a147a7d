public import Store

/// Receives the notifications of a search.
///
/// Methods are called on the main actor, in the order of the store's commits, and never after
/// ``MessageSearch/dispose()``. They may call any method.
@MainActor
public protocol MessageSearchDelegate: AnyObject {
    /// The list has changed; apply the change to the list that a view shows.
    ///
    /// ``MessageSearch/messages`` is the list after the change.
    func messageSearch(
        _ search: MessageSearch, didChange change: CollectionChange<FoundMessage>)
}

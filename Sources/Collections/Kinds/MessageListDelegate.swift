/// Receives the notifications of a list of messages of some kinds.
///
/// Methods are called on the main actor, in the order of the store's commits, and never after
/// ``MessageList/dispose()``. They may call any method.
@MainActor
public protocol MessageListDelegate: AnyObject {
    /// The list has changed: apply the change to the list that a view shows.
    ///
    /// ``MessageList/rows`` is the list after the change.
    func messageList(_ list: MessageList, didChange change: CollectionChange<MessageList.Row>)
}

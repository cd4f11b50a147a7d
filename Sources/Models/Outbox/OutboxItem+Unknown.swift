// An item that a newer version wrote may ask for something that this version does not know.
extension OutboxItem {
    /// Whether this version knows the operation and the state.
    ///
    /// If not, the item is left alone: it is not sent, does not fail, and is removed only where the
    /// user asks for that.
    package var isUnderstood: Bool {
        let (operation, state): (Int, Int) = (self[4], self[5])
        return OutboxOperation(rawValue: operation) != nil
            && OutboxItemState(rawValue: state) != nil
    }
}

// Items written by a newer version, which may contain operations or states that this version does
// not know.
extension OutboxItem {
    /// A Boolean value that indicates whether this version knows the operation and the state.
    ///
    /// If not, the engine does not send the item or mark it as failed, and removes it only at the
    /// user's request.
    package var isUnderstood: Bool {
        let (operation, state): (Int, Int) = (self[4], self[5])
        return OutboxOperation(rawValue: operation) != nil
            && OutboxItemState(rawValue: state) != nil
    }
}

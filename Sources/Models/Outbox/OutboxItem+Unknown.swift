// Items that a newer version of the code wrote may contain operations or states that this version
// does not know.
extension OutboxItem {
    /// A Boolean value that indicates whether this version of the code knows the operation and the
    /// state.
    ///
    /// If it is `false`, the engine neither sends the item nor marks it as failed, and removes it
    /// only at the user's request.
    package var isUnderstood: Bool {
        let (operation, state): (Int, Int) = (self[4], self[5])
        return OutboxOperation(rawValue: operation) != nil
            && OutboxItemState(rawValue: state) != nil
    }
}

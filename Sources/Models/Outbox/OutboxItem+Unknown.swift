extension OutboxItem {
    /// `false` if a newer version of the code wrote the item with an unknown operation or state.
    ///
    /// The engine then neither sends it nor marks it as failed, and removes it only at the user's
    /// request.
    package var isUnderstood: Bool {
        let (operation, state): (Int, Int) = (self[4], self[5])
        return OutboxOperation(rawValue: operation) != nil
            && OutboxItemState(rawValue: state) != nil
    }
}

package import Models

// The application's side of a drop box. Nothing here waits for who leaves something.
extension ChatStore {
    /// Makes the box that other processes leave messages in, if it is not there.
    package func makeDropBox() throws(StoreError) { try dropFiles?.make() }

    /// Removes the box, and what is in it.
    package func removeDropBox() throws(StoreError) { try dropFiles?.removeBox() }

    /// The names of the drops that wait, oldest first; none where there is no box.
    package func dropNames() throws(StoreError) -> [String] { try dropFiles?.names() ?? [] }

    /// Reads a drop: its messages, and what is wrong with it; `nil` if there is none of the name.
    ///
    /// - Throws: ``StoreError`` with code `newerSchema`, `permission` or `io`.
    package func drop(
        _ name: String
    ) throws(StoreError) -> (messages: [Message], damage: [DropBox.Damage])? {
        guard let contents = try dropFiles?.contents(name, keys) else { return nil }
        return (contents.records, contents.damage.map { DropBox.Damage(file: name, $0) })
    }

    /// Removes drops, for good when it returns.
    package func removeDrops(_ names: [String]) throws(StoreError) {
        try dropFiles?.remove(names)
    }

    private var dropFiles: DropFiles? { directory.map(DropFiles.init) }
}

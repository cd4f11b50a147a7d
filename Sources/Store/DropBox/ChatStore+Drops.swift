package import Models

// The app's access to the push inbox. Nothing here waits for writers of the inbox.
extension ChatStore {
    /// Creates the push inbox if it does not exist.
    package func makeDropBox() throws(StoreError) { try dropFiles?.make() }

    /// Removes the push inbox with its content.
    package func removeDropBox() throws(StoreError) { try dropFiles?.removeBox() }

    /// Returns the names of the waiting files, oldest first; empty if there is no inbox.
    package func dropNames() throws(StoreError) -> [String] { try dropFiles?.names() ?? [] }

    /// Returns the messages of a file and its unreadable lines; `nil` if there is no such file.
    ///
    /// - Throws: ``StoreError`` with code `newerSchema`, `permission` or `io`.
    package func drop(
        _ name: String
    ) throws(StoreError) -> (messages: [Message], damage: [DropBox.Damage])? {
        guard let contents = try dropFiles?.contents(name, keys) else { return nil }
        return (contents.records, contents.damage.map { DropBox.Damage(file: name, $0) })
    }

    /// Removes files of the inbox durably.
    package func removeDrops(_ names: [String]) throws(StoreError) {
        try dropFiles?.remove(names)
    }

    private var dropFiles: DropFiles? { directory.map(DropFiles.init) }
}

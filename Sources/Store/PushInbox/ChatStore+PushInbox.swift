package import Models

// The app's access to the push inbox. Only `removePushInbox` waits for a process that is writing to
// the inbox.
extension ChatStore {
    /// Creates the push inbox if it does not exist.
    package func makePushInbox() throws(StoreError) { try pushInboxFiles?.make() }

    /// Removes the push inbox with its content.
    ///
    /// The call waits at most two seconds for a process that is writing to the inbox.
    package func removePushInbox() throws(StoreError) { try pushInboxFiles?.removeBox() }

    /// Returns the names of the files to read next, oldest first; empty if there is no inbox.
    package func pushNames() throws(StoreError) -> [String] {
        try pushInboxFiles?.namesToRead() ?? []
    }

    /// Returns the messages of a file and its unreadable lines; `nil` if there is no such file.
    ///
    /// An entry that is not an inbox file is moved aside, and has damage but no messages.
    ///
    /// - Throws: ``StoreError`` with code `newerSchema`, `permission` or `io`.
    package func drop(
        _ name: String
    ) throws(StoreError) -> (messages: [Message], damage: [PushInbox.Damage])? {
        guard let contents = try pushInboxFiles?.contents(name, keys) else { return nil }
        return (contents.records, contents.damage.map { PushInbox.Damage(file: name, $0) })
    }

    /// Removes files of the inbox durably.
    package func removePushes(_ names: [String]) throws(StoreError) {
        try pushInboxFiles?.remove(names)
    }

    private var pushInboxFiles: PushInboxFiles? { directory.map(PushInboxFiles.init) }
}

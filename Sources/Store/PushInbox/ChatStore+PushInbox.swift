package import Models

extension ChatStore {
    package func makePushInbox() throws(StoreError) { try pushInboxFiles?.make() }

    /// Waits at most two seconds for a process that is writing to the inbox.
    package func removePushInbox() throws(StoreError) { try pushInboxFiles?.removeBox() }

    /// Returns the names of the files to read next, oldest first; empty if there is no inbox.
    package func pushNames() throws(StoreError) -> [String] {
        try pushInboxFiles?.namesToRead() ?? []
    }

    /// Returns the messages of a file and its damage; `nil` if there is no such file.
    ///
    /// Another entry is moved aside, and has only damage.
    package func contents(
        ofPush name: String
    ) throws(StoreError) -> (messages: [Message], damage: [PushInbox.Damage])? {
        guard let contents = try pushInboxFiles?.contents(name, keys) else { return nil }
        return (contents.records, contents.damage.map { PushInbox.Damage(file: name, $0) })
    }

    package func removePushes(_ names: [String]) throws(StoreError) {
        try pushInboxFiles?.remove(names)
    }

    package func removeAllPushes() throws(StoreError) {
        try pushInboxFiles?.removeAll()
    }

    private var pushInboxFiles: PushInboxFiles? { directory.map(PushInboxFiles.init) }
}

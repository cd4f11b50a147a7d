import Foundation
import Models
import Testing

@testable import Store

/// Tests that the first page of a list can be read without reading all channels.
@Suite struct SavedListTests {
    private let directory: StoreDirectory

    init() throws {
        directory = try StoreDirectory()
        let store = try directory.open()
        try store.write { batch in
            for number in 1...150 { try batch.save(SavedListTests.channel(number)) }
            for number in 1...3 {
                try batch.save(
                    OpenChannel(
                        url: ChannelURL("o\(number)"),
                        createdAt: Timestamp(milliseconds: Int64(number))))
            }
        }
        store.close()
    }

    /// Creates one of many channels.
    ///
    /// A channel with a greater number is newer.
    private static func channel(_ number: Int, name: String = "") -> GroupChannel {
        GroupChannel(
            url: ChannelURL("c\(number)"), name: name,
            createdAt: Timestamp(milliseconds: Int64(number)))
    }

    /// Returns the URLs of the channels with these numbers as one line.
    private func urls(_ numbers: [Int]) -> String {
        numbers.map { "c\($0)" }.joined(separator: " ")
    }

    private func open() throws -> ChatStore { try directory.open() }

    /// Opens the store, reads a list, and closes the store, which saves the list.
    private func ask(_ query: GroupChannelListQuery = GroupChannelListQuery()) throws {
        let store = try open()
        defer { store.close() }
        _ = try store.groupChannels(matching: query, limit: 1)
    }

    /// Returns true if all channels were read to sort a list.
    private func hasReadAll(_ store: ChatStore) throws -> Bool {
        try store.view.committed.derived.withLock { !$0.lists.isEmpty }
    }

    /// Opens the store, and returns whether it reads the first page of a list from the saved list,
    /// without scanning all channels.
    private func isSaved() throws -> Bool {
        let store = try open()
        defer { store.close() }
        let page = try store.groupChannels(limit: 3)
        let isSaved = try !hasReadAll(store)
        #expect(try page == Array(store.groupChannels().prefix(3)))
        return isSaved
    }

    // MARK: Reading

    @Test func firstPagesAreReadFromTheSavedList() throws {
        try ask()
        let store = try open()
        defer { store.close() }
        let first = try store.groupChannels(limit: 40)
        #expect(first.urls == urls((111...150).reversed()))
        let second = try store.groupChannels(after: first.last, limit: 40)
        #expect(second.urls == urls((71...110).reversed()))
        #expect(try !hasReadAll(store))
        // This page contains channels after the saved part of the list.
        let third = try store.groupChannels(after: second.last, limit: 40)
        #expect(third.urls == urls((31...70).reversed()))
        #expect(try hasReadAll(store))
        #expect(try store.groupChannels(limit: 40) == first)
    }

    @Test(arguments: GroupChannelListOrder.allCases)
    func eachOrderIsSavedSeparately(order: GroupChannelListOrder) throws {
        var query = GroupChannelListQuery()
        query.order = order
        query.metaDataOrderKeyFilter = "k"
        try ask(query)
        let store = try open()
        defer { store.close() }
        let page = try store.groupChannels(matching: query, limit: 20)
        #expect(try !hasReadAll(store))
        #expect(try page == Array(store.groupChannels(matching: query).prefix(20)))
    }

    @Test func openChannelsAreSavedToo() throws {
        var store = try open()
        #expect(try store.openChannels(limit: 2).urls == "o3 o2")
        store.close()
        store = try open()
        defer { store.close() }
        // The saved list is the whole list, so its end is known.
        #expect(try store.openChannels(limit: 5).urls == "o3 o2 o1")
        #expect(try !hasReadAll(store))
    }

    @Test func filteredMessagesAreSkipped() throws {
        var query = GroupChannelListQuery()
        query.channelNameContainsFilter = "x"
        let store = try open()
        try store.write { batch in
            for number in [2, 60, 149] {
                try batch.save(SavedListTests.channel(number, name: "x"))
            }
        }
        store.close()
        try ask()
        let again = try open()
        defer { again.close() }
        #expect(try again.groupChannels(matching: query, limit: 2).urls == "c149 c60")
        #expect(try !hasReadAll(again))
        #expect(try again.groupChannels(matching: query, limit: 3).urls == "c149 c60 c2")
        #expect(try hasReadAll(again))
    }

    @Test func snapshotReadsTheListOfItsCommit() throws {
        try ask()
        let store = try open()
        defer { store.close() }
        let snapshot = try store.snapshot()
        try store.write { try $0.removeChannel("c150") }
        #expect(try store.groupChannels(limit: 2).urls == "c149 c148")
        #expect(try snapshot.groupChannels(limit: 2).urls == "c150 c149")
    }

    @Test func batchReadsItsOwnListChanges() throws {
        try ask()
        let store = try open()
        defer { store.close() }
        try store.write { batch in
            try batch.save(SavedListTests.channel(200))
            #expect(try batch.groupChannels(limit: 2).urls == "c200 c150")
        }
        #expect(try store.groupChannels(limit: 2).urls == "c200 c150")
    }

    // MARK: Correctness

    enum Change: CaseIterable, Sendable {
        case new, same, removed, messagesCleared, dataCleared, message, outboxItem, user

        /// True if the change writes or removes the row of a channel.
        var isOfChannels: Bool { ![.same, .message, .outboxItem, .user].contains(self) }

        func make(_ batch: Batch) throws {
            switch self {
            case .new: try batch.save(SavedListTests.channel(200))
            case .same: try batch.save(SavedListTests.channel(150))
            case .removed: try batch.removeChannel("c150")
            case .messagesCleared: try batch.clearMessages(in: "c150")
            case .dataCleared: try batch.clearCachedData()
            case .message: try batch.save(Message("1", at: 1, in: "c150"))
            case .outboxItem: try batch.save(OutboxItem("1", request: "r", in: "c150"))
            case .user: try batch.save(User(id: "ann"))
            }
        }
    }

    @Test(arguments: Change.allCases)
    func firstChangeOfAChannelOutdatesTheSavedLists(change: Change) throws {
        try ask()
        let store = try open()
        try store.write(change.make)
        let saved = try Rows(snapshot: store.view.committed.cache).savedLists()
        #expect(saved.beginnings.map { $0.numbers == nil } == [change.isOfChannels])
        #expect(try store.contradictions() == [])
        let page = try store.groupChannels(limit: 4)
        #expect(try page == Array(store.groupChannels().prefix(4)))
        store.close()
    }

    @Test func failedBatchKeepsTheSavedLists() throws {
        struct Undo: Error {}
        try ask()
        let store = try open()
        #expect(throws: Undo.self) {
            try store.write { batch in
                try batch.save(SavedListTests.channel(200))
                throw Undo()
            }
        }
        #expect(try store.groupChannels(limit: 1).urls == "c150")
        #expect(try !hasReadAll(store))
        try store.write { try $0.save(SavedListTests.channel(200)) }
        #expect(try store.groupChannels(limit: 1).urls == "c200")
        store.close()
        #expect(try isSaved())
    }

    @Test func unclosedStoreHasNoSavedLists() throws {
        try ask()
        let store = try open()
        try store.write { try $0.save(SavedListTests.channel(200)) }
        #expect(try store.groupChannels(limit: 1).urls == "c200")
        let copy = try StoreDirectory(of: directory)
        store.close()
        let cut = try copy.open()
        defer { cut.close() }
        #expect(try cut.groupChannels(limit: 1).urls == "c200")
        #expect(try hasReadAll(cut))
    }

    @Test func unreadableSavedListIsRebuilt() throws {
        try ask()
        for value: [UInt8] in [
            [9], [1], [1, 0, 0, 0, 0, 1, 0xFF, 0xFF], [1, 0, 0, 0, 0, 1, 0, 1, 0xFF, 0, 0, 0],
        ] {
            try directory.writeToCache([(ByteWriter.key { $0.schemaKey(.lists) }, value)])
            #expect(try !isSaved())
            #expect(try isSaved())
        }
    }

    // MARK: Saving

    @Test func unreadListsAreNotSaved() throws {
        #expect(try !isSaved())
        #expect(try isSaved())
    }

    @Test func savedListsAreUpdatedBySessionsWithoutALoad() throws {
        try ask()
        let store = try open()
        try store.write { try $0.save(SavedListTests.channel(200)) }
        store.close()
        #expect(try isSaved())
    }

    @Test func releasedStoreSavesItsLists() throws {
        var store: ChatStore? = try open()
        _ = try store?.groupChannels(limit: 1)
        store = nil
        #expect(try isSaved())
    }

    @Test func suspendingSavesAndResumingReadsIt() throws {
        let store = try open()
        defer { store.close() }
        #expect(try store.groupChannels(limit: 1).urls == "c150")
        try store.suspend()
        try store.resume()
        #expect(try store.groupChannels(limit: 1).urls == "c150")
        #expect(try !hasReadAll(store))
        try store.write { try $0.save(SavedListTests.channel(200)) }
        #expect(try store.groupChannels(limit: 1).urls == "c200")
    }

    @Test func changeAfterAFailedSuspensionOutdatesTheSavedLists() throws {
        let store = try open()
        try store.write { try $0.save(SavedListTests.channel(200)) }
        #expect(try store.groupChannels(limit: 1).urls == "c200")
        let snapshot = try store.snapshot()
        #expect(code { try store.suspend() } == .busy)
        #expect(try snapshot.groupChannels(limit: 1).urls == "c200")
        try store.write { try $0.save(SavedListTests.channel(300)) }
        let copy = try StoreDirectory(of: directory)
        store.close()
        // The copy was made before the store was closed, so it is like that of a killed process.
        let cut = try copy.open()
        defer { cut.close() }
        #expect(try cut.contradictions() == [])
        #expect(try cut.groupChannels(limit: 1).urls == "c300")
    }

    @Test func unreadOrdersStaySaved() throws {
        var query = GroupChannelListQuery()
        query.order = .latestLastMessage
        try ask(query)
        try ask()
        let store = try open()
        defer { store.close() }
        _ = try store.groupChannels(limit: 1)
        _ = try store.groupChannels(matching: query, limit: 1)
        #expect(try !hasReadAll(store))
    }

    @Test func numberOfSavedOrdersIsLimited() throws {
        var query = GroupChannelListQuery()
        query.order = .metaDataValueAlphabetical
        for number in 0...DerivedValues.listLimit {
            query.metaDataOrderKeyFilter = "k\(number)"
            try ask(query)
        }
        let store = try open()
        let saved = try Rows(snapshot: store.view.committed.cache).savedLists()
        #expect(saved.beginnings.count == DerivedValues.listLimit)
        // The order that was requested last is saved.
        _ = try store.groupChannels(matching: query, limit: 1)
        #expect(try !hasReadAll(store))
        store.close()
    }

    @Test(arguments: [99, 100, 101])
    func savedListIsWholeUpToTheSavedLength(count: Int) throws {
        let store = try open()
        try store.write { batch in
            for number in 1...(150 - count) { try batch.removeChannel(ChannelURL("c\(number)")) }
        }
        store.close()
        try ask()
        let again = try open()
        defer { again.close() }
        #expect(try again.groupChannels(limit: 120).count == count)
        #expect(try hasReadAll(again) == (count >= SavedLists.length))
    }
}

import Foundation
import Models

/// The timed part of an operation on a store.
///
/// Its inputs are prepared before. It returns a number that must be the same for all stores: the
/// number of rows, or 1 for success.
typealias Call = () throws -> Int

/// A store to measure: Scrollback's store or an alternative.
///
/// Each method converts its arguments to the store's form, which is not timed, and returns the call
/// that is timed. It returns `nil` if the store lacks the operation.
protocol Engine: AnyObject, SendableMetatype {
    static var name: String { get }
    /// The maximum number of messages with which this store is measured.
    static var largestSize: Int { get }
    /// True if only writes to this store are measured.
    static var onlyWrites: Bool { get }
    /// True if only reads of messages from this store are measured.
    static var onlyReads: Bool { get }

    /// Opens the store in an existing directory.
    init(at directory: URL) throws
    func close() throws

    /// Loads messages in a faster way than that of an app.
    ///
    /// Returns `false` if the store has no such way.
    func load(_ items: [Item]) throws -> Bool
    /// Records that the loaded histories are complete, if the store records coverage.
    func coverEverything() throws

    /// Inserts new messages in one batch.
    func insert(_ items: [Item]) throws -> Call
    /// Writes one message, which may be stored already.
    func put(_ item: Item) throws -> Call
    /// Writes outbox items.
    ///
    /// They are on disk when the call returns.
    func putDurably(_ items: [Item]) throws -> Call?
    func delete(_ item: Item) throws -> Call

    func rawPage(_ channel: Int, before time: Timestamp?, limit: Int) -> Call?
    func page(_ channel: Int, before time: Timestamp?, limit: Int) -> Call
    /// Reads the newest page, and determines whether the page is complete.
    func checkedPage(_ channel: Int, limit: Int) -> Call?
    /// Reads the messages on both sides of a time: `limit` older ones, and `limit` from the time
    /// on.
    func screen(_ channel: Int, around time: Timestamp, each limit: Int) -> Call?
    func lookup(_ id: MessageID, in channel: Int) -> Call
    func count(in channel: Int) -> Call
    func count() -> Call

    /// Writes channels.
    ///
    /// If there are several, they are one batch.
    func put(_ channels: [ChannelItem]) throws -> Call
    /// Reads the first channels of the list, which is ordered from the latest message to the
    /// oldest.
    func channels(limit: Int?) -> Call
}

extension Engine {
    var name: String { Self.name }

    static var largestSize: Int { .max }
    static var onlyWrites: Bool { false }
    static var onlyReads: Bool { false }
    func load(_ items: [Item]) throws -> Bool { false }
    func coverEverything() throws {}
    func checkedPage(_ channel: Int, limit: Int) -> Call? { nil }
    func screen(_ channel: Int, around time: Timestamp, each limit: Int) -> Call? { nil }
}

/// The stores that are compared.
///
/// Scrollback's store is the first.
let engineTypes: [any Engine.Type] = [
    ScrollbackEngine.self, LevelDBEngine.self, BlindLevelDBEngine.self, SQLiteEngine.self,
    IntegerSQLiteEngine.self, GRDBEngine.self, RecipeEngine.self, LMDBEngine.self,
]

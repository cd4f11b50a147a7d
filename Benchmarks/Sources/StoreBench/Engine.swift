import Foundation
import Models

/// An operation on a store: the code that is timed.
///
/// Its inputs are prepared before the timing. It returns a number that must be equal for all
/// stores: the number of rows, or 1 for success.
typealias Call = () throws -> Int

/// A store to measure: Scrollback's or an alternative.
///
/// Each method prepares a call by converting messages to the store's form, which is not timed, and
/// returns the call. It returns `nil` if the store does not have the operation.
protocol Engine: AnyObject, SendableMetatype {
    static var name: String { get }
    /// The maximum number of messages with which the store is measured.
    static var largestSize: Int { get }
    /// A Boolean value that indicates whether only the writes of the store are measured.
    static var onlyWrites: Bool { get }

    /// Opens the store in an existing directory.
    init(at directory: URL) throws
    func close() throws

    /// Loads messages faster than an app could insert them.
    ///
    /// Returns `false` if the store has no faster way.
    func load(_ items: [Item]) throws -> Bool
    /// Marks everything that was loaded as complete, if the store records that.
    func coverEverything() throws

    /// Writes new messages in one batch.
    func insert(_ items: [Item]) throws -> Call
    /// Writes one message, which may be stored already.
    func put(_ item: Item) throws -> Call
    /// Writes items so that they are on disk when the call returns.
    func putDurably(_ items: [Item]) throws -> Call?
    func delete(_ item: Item) throws -> Call

    func rawPage(_ channel: Int, before time: Timestamp?, limit: Int) -> Call?
    func page(_ channel: Int, before time: Timestamp?, limit: Int) -> Call
    /// Reads the newest page, and whether it is complete.
    func checkedPage(_ channel: Int, limit: Int) -> Call?
    func lookup(_ id: MessageID, in channel: Int) -> Call
    func count(in channel: Int) -> Call
    func count() -> Call

    /// Writes channels, in a batch if there are several.
    func put(_ channels: [ChannelItem]) throws -> Call
    /// Reads the first channels of the list, the latest message first.
    func channels(limit: Int?) -> Call
}

extension Engine {
    var name: String { Self.name }

    static var largestSize: Int { .max }
    static var onlyWrites: Bool { false }
    func load(_ items: [Item]) throws -> Bool { false }
    func coverEverything() throws {}
    func checkedPage(_ channel: Int, limit: Int) -> Call? { nil }
}

/// The stores that are compared.
///
/// The first one is Scrollback's.
let engineTypes: [any Engine.Type] = [
    ScrollbackEngine.self, LevelDBEngine.self, BlindLevelDBEngine.self, SQLiteEngine.self,
    IntegerSQLiteEngine.self, GRDBEngine.self, RecipeEngine.self,
]

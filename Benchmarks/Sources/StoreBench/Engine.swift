import Foundation
import Models

/// Does one thing to a store, which is what is timed; all that it needs was made before.
///
/// Gives a number that all stores have to agree on: how many rows there were, or 1 for yes.
typealias Call = () throws -> Int

/// A way of keeping messages: ours, or one that a user would pick instead.
///
/// What makes a call is not timed: it brings the messages into the form that the store takes. `nil`
/// where a store does not do such a thing.
protocol Engine: AnyObject, SendableMetatype {
    static var name: String { get }
    /// The most messages that it is measured with.
    static var largestSize: Int { get }
    /// Whether it is there to show what a write costs, and nothing else.
    static var onlyWrites: Bool { get }

    /// Opens the store in a directory that is there.
    init(at directory: URL) throws
    func close() throws

    /// Loads what the benchmark has no time to insert as an app would; false where it always has.
    func load(_ items: [Item]) throws -> Bool
    /// Has it know that all that was loaded is complete, where it has such a thing.
    func coverEverything() throws

    /// Writes new messages in one batch.
    func insert(_ items: [Item]) throws -> Call
    /// Writes one message, new or not.
    func put(_ item: Item) throws -> Call
    /// Writes what must be on the disk when the call returns.
    func putDurably(_ items: [Item]) throws -> Call?
    func delete(_ item: Item) throws -> Call

    func rawPage(_ channel: Int, before time: Timestamp?, limit: Int) -> Call?
    func page(_ channel: Int, before time: Timestamp?, limit: Int) -> Call
    /// The newest page, and whether it is complete.
    func checkedPage(_ channel: Int, limit: Int) -> Call?
    func lookup(_ id: MessageID, in channel: Int) -> Call
    func count(in channel: Int) -> Call
    func count() -> Call

    /// Writes channels, in a batch if there are several.
    func put(_ channels: [ChannelItem]) throws -> Call
    /// The first channels of the list, the one with the latest message first.
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

/// The stores that are compared; ours comes first.
let engineTypes: [any Engine.Type] = [
    ScrollbackEngine.self, LevelDBEngine.self, BlindLevelDBEngine.self, SQLiteEngine.self,
    GRDBEngine.self, RecipeEngine.self,
]

// `CollectionsListPrinter directory list …` prints the cached contents of some lists without a
// server, one line for each list. A list is `channels` or `messages`, a colon, and the bytes of a
// query or of params in hexadecimal.

import Collections
import EmbeddedServer
import Foundation
import Models
import Store
import Sync

@main struct ListPrinter {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let directory = arguments.first else { fail("usage: directory what …") }
        let store = try ChatStore(at: URL(filePath: directory))
        let engine = SyncEngine(store: store, backend: try EmbeddedServer.inMemory().client())
        for argument in arguments.dropFirst() {
            let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let bytes = bytes(parts[1]) else {
                fail("not a list: \(argument)")
            }
            let rows =
                parts[0] == "channels"
                ? try await channels(try GroupChannelListQuery(serialized: bytes), engine)
                : try await messages(try MessageListParams(serialized: bytes), engine)
            print(rows.joined(separator: "|"))
        }
        await engine.close()
        store.close()
    }

    @MainActor
    private static func channels(
        _ query: GroupChannelListQuery, _ engine: SyncEngine
    ) async throws -> [String] {
        let collection = GroupChannelCollection(query: query, userID: "bob", engine: engine)
        while collection.hasMore { try await collection.loadMore() }
        return collection.channels.map(\.url.rawValue)
    }

    @MainActor
    private static func messages(
        _ params: MessageListParams, _ engine: SyncEngine
    ) async throws -> [String] {
        let collection = MessageCollection(
            of: "general", params: params, userID: "bob", engine: engine)
        collection.start(.cacheOnly)
        while collection.hasPrevious { try await collection.loadPrevious() }
        return collection.succeededMessages.map(\.text)
    }

    private static func bytes(_ digits: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = digits
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(2)
    }
}

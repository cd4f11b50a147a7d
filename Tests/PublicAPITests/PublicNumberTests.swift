import Collections
import Foundation
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests that no number, duration or time that is passed to the public API ends the process.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct PublicNumberTests {
    /// The rounds with extreme values, and then rounds with random values.
    nonisolated static let rounds = Seeds.count(Numbers.extremeRounds + 2, atNight: 300)

    @Test(arguments: rounds) func noNumberEndsTheProcess(round: Int) async throws {
        for probe in NumberProbe.all {
            var numbers = Numbers(round: round)
            let world = try await NumberWorld()
            do {
                try await probe.run(&numbers, world)
            } catch {
                Issue.record("\(probe.covers[0]): \(error)")
            }
        }
    }

    /// Tests each record type with these numbers in all of its fields, in binary form, in JSON and
    /// in the store.
    @Test(arguments: rounds) func noNumberOfARecordEndsTheProcess(round: Int) throws {
        var numbers = Numbers(round: round)
        func walk<R: Record>(_ type: R.Type, _ numbers: inout Numbers) throws {
            let json = numbers.json(of: type, depth: 3)
            let data = try JSONSerialization.data(withJSONObject: json)
            guard let record = try? JSONDecoder().decode(type, from: data) else {
                Issue.record("\(type) does not take \(String(decoding: data, as: UTF8.self))")
                return
            }
            #expect(try R(serialized: record.serialize()) == record)
            _ = "\(record)"
            _ = try? JSONEncoder().encode(record)
            try store(record)
        }
        for type in recordTypes { try walk(type, &numbers) }
    }

    private func store(_ record: any Record) throws {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            switch record {
            case let message as Message: _ = try batch.save(message)
            case let channel as GroupChannel: try batch.save(channel)
            case let channel as OpenChannel: try batch.save(channel)
            case let user as User: try batch.save(user)
            case let item as OutboxItem: try batch.save(item)
            default: break
            }
        }
        try store.read { reader in
            _ = try reader.groupChannels()
            _ = try reader.openChannels()
            _ = try reader.messages(in: "general")
            _ = try reader.outboxItems()
        }
    }

    /// A new public symbol with a number must be tested, or be excluded with a reason.
    @Test func everyPublicNumberHasAProbe() throws {
        let symbols = try PublicSymbols(of: [
            "Models", "Store", "Sync", "Collections", "EmbeddedServer", "ScrollbackTesting",
        ])
        let inputs = try symbols.numericInputs()
        let root = Repository.root
        let fields = try symbols.propertiesInSchemas(
            below: root.appending(path: "Sources/Models"))
        let records = Set(recordTypes.map { "\($0)" } + ["Channel", "Person"])
        let tried = Set(NumberProbe.all.flatMap { $0.covers })
        let missing = inputs.filter { name in
            let parts = name.split(separator: ".").map(String.init)
            // Fields of records are tested by `noNumberOfARecordEndsTheProcess`.
            if parts.count == 2, records.contains(parts[0]), fields.contains(parts[1]) {
                return false
            }
            return !tried.contains(name) && Self.reason(leavingOut: name) == nil
        }
        #expect(missing.sorted() == [], "a probe has to try these")
        #expect(tried.subtracting(inputs).sorted() == [], "there are none of these")
    }

    /// Returns the reason why a public symbol with a number is not tested, or `nil`.
    private static func reason(leavingOut name: String) -> String? {
        if name.hasSuffix(".init(rawValue:)") {
            return "made by the compiler: nil, where no case has the number"
        }
        if ["Backend.", "ForwardingBackend.", "PagingBackend."].contains(where: name.hasPrefix) {
            return "tried at the backends that have it"
        }
        let requests =
            StandardRequests.types.map { "\($0)." } + ["CoreCall.", "PageOfList."]
        if requests.contains(where: name.hasPrefix) {
            return "a parameter of a call, tried at the backends that support the call"
        }
        return reasons[name]
    }

    private static let reasons = [
        "ChatClient.lastConnectedAt": "only read",
        "PagePoint.time(_:)": "made only by `PagingBackend`",
        "ChatClient.reencrypt(_:to:progress:)": "a number that the app is given",
        "ChatStore.reencrypt(at:from:to:progress:)": "a number that the app is given",
        "ChatClient.catchUp(as:within:)": "a duration that is given to `ChatClientOptions.sleep`",
        "StoreTable.Migration": "a number that the app is given",
        "ChatClientOptions.sleep": "a duration that the app is given",
        "ConformanceSubject.expireMessages(before:)": "implemented by the user of the suite",
        "PushInbox.count": "only read",
        "StoreRows.subscript(_:)": "an index of a collection",
        "SearchHit.Field.fileName(_:)": "a number that the app is given",
        "EncryptionKey.init(_:)": "bytes: nil, unless there are 32",
    ]
}

extension Numbers {
    /// Returns the JSON of a record with numbers in all of its fields, including those of nested
    /// records.
    mutating func json(of type: any Record.Type, depth: Int) -> [String: Any] {
        var json: [String: Any] = [:]
        for field in type.schema.fieldDescriptions {
            json[field.name] = value(of: field.type, named: field.name, depth: depth)
        }
        return json
    }

    private mutating func value(of type: String, named name: String, depth: Int) -> Any? {
        let words = type.split(separator: " ").map(String.init)
        if words[0] == "repeated" {
            return value(of: words[1], named: name, depth: depth).map { [$0] }
        }
        if words[0] == "optional" { return value(of: words[1], named: name, depth: depth) }
        if type.hasPrefix("map<string, ") {
            let element = String(type.dropFirst("map<string, ".count).dropLast())
            return value(of: element, named: name, depth: depth).map { ["key": $0] }
        }
        switch type {
        case "int64": return NSNumber(value: int64())
        // JSON cannot represent infinity or NaN.
        case "double":
            let fractions: [Double] = [0, -1, 0.5, 1e308, -1e308]
            return fractions[Int(int64().magnitude % 5)]
        case "string": return name == "channel_url" ? "general" : name
        default:
            guard depth > 0, let record = recordTypes.first(where: { $0.schema.name == type })
            else { return nil }
            return json(of: record, depth: depth - 1)
        }
    }
}

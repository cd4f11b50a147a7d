import ScrollbackTestSupport
import Testing

@testable import ScrollbackREPL

/// Compares the commands with the public symbols of the modules, which are in the compiler's symbol
/// graphs.
@Suite struct SymbolTests {
    /// The types whose methods an app calls.
    static let types: Set = [
        "ChatClient", "MessageCollection", "GroupChannelCollection", "SyncEngine", "ChatStore",
        "StoreReader", "Batch", "FileCache", "MessageSearch",
    ]

    /// The types whose properties an app sets, each with the prefix that its properties have at the
    /// prompt.
    static let options = [
        "ChatClientOptions": "", "SyncOptions": "sync.", "StoreOptions": "store.",
        "CacheLimits": "cacheLimits.",
    ]

    @Test func everyPublicCallHasACommandOrAReason() throws {
        let symbols = try PublicSymbols()
        let covered = Set(Command.all.flatMap(\.covers)).union(Exemptions.commands.keys)
        let exempt = Exemptions.reasons
        let missing = symbols.calls(of: Self.types).filter {
            !covered.contains($0) && exempt[$0] == nil
        }
        #expect(missing == [], "no command covers these, and no exemption says why")

        let known = Set(symbols.names)
        #expect(covered.filter { !known.contains($0) }.sorted() == [], "there are none of these")
        #expect(
            exempt.keys.filter { !known.contains($0) }.sorted() == [], "there are none of these")
        #expect(covered.filter { exempt[$0] != nil }.sorted() == [], "covered, and exempt")
        for (symbol, command) in Exemptions.commands {
            #expect(throws: Never.self, "\(symbol)") { try Command.named(command) }
        }
    }

    /// The types that commands take as JSON, each with one of these commands.
    static let records = [
        "MessageListParams": "open", "ThreadedMessageListParams": "thread",
        "MessageChangelogParams": "changelog messages",
        "GroupChannelChangelogParams": "changelog channels",
        "GroupChannelListQuery": "list", "MessageCreateParams": "send",
        "MessageUpdateParams": "edit",
        "UserMessageCreateParams": "send", "FileMessageCreateParams": "send-file",
        "MultipleFilesMessageCreateParams": "send-file", "UserMessageUpdateParams": "edit",
        "FileMessageUpdateParams": "edit",
    ]

    @Test func everyParameterIsAFieldOfTheJSONThatACommandTakes() throws {
        let symbols = try PublicSymbols()
        for (type, name) in Self.records {
            let properties = symbols.settableProperties(of: type)
            #expect(!properties.isEmpty, "\(type)")
            let fields = try symbols.propertiesInSchema(of: type)
            let missing = properties.filter {
                !fields.contains($0) && Exemptions.reason(of: type, $0) == nil
            }
            #expect(missing == [], "\(name) cannot set these of \(type)")
            #expect(try Command.named(name).usage.contains("JSON"))
        }
    }

    @Test func everyPropertyOfAChannelToCreateCanBeSet() throws {
        let symbols = try PublicSymbols()
        for (type, names) in [
            ("GroupChannelCreateParams", GroupChannelSetting.all.map(\.name)),
            ("OpenChannelCreateParams", OpenChannelSetting.all.map(\.name)),
        ] {
            let missing = symbols.settableProperties(of: type).filter {
                !names.contains($0) && Exemptions.reason(of: type, $0) == nil
            }
            #expect(missing == [], "create cannot set these of \(type)")
        }
    }

    @Test func allParamsQueriesAndOptionsAreChecked() throws {
        let known = Set(Self.records.keys).union(Self.options.keys)
            .union(["GroupChannelCreateParams", "OpenChannelCreateParams"])
            // At the prompt, these types are the search syntax.
            .union(["MessageSearchParams", "SearchQuery"])
        let missing = try PublicSymbols().types(endingIn: ["Params", "Query", "Options"]).filter {
            !known.contains($0)
        }
        #expect(missing == [])
    }

    @Test func everyOptionCanBeSet() throws {
        let symbols = try PublicSymbols()
        let names = Set(ClientOption.all.map(\.name))
        for (type, prefix) in Self.options {
            let missing = symbols.settableProperties(of: type).filter {
                !names.contains(prefix + $0) && Exemptions.reasons["\(type).\($0)"] == nil
            }
            #expect(missing == [], "option cannot set these of \(type)")
        }
    }
}

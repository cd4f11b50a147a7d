import ScrollbackTestSupport
import Testing

@testable import ScrollbackREPL

/// Compares the commands with the public symbols of the modules, which are in the compiler's symbol
/// graphs.
@Suite struct SymbolTests {
    /// The types whose methods an app calls.
    static let types: Set = [
        "ChatClient", "MessageCollection", "GroupChannelCollection", "SyncEngine", "ChatStore",
        "StoreReader", "Batch", "FileCache", "MessageSearch", "MessageList",
    ]

    /// The types whose properties an app sets, each with the prefix that its properties have at the
    /// prompt.
    static let options = [
        "ChatClientOptions": "", "SyncOptions": "sync.", "StoreOptions": "store.",
        "CacheLimits": "cacheLimits.",
    ]

    /// Commands call methods and use properties by these names.
    @Test func everyPublicCallIsUsedByACommandOrHasAReason() throws {
        let symbols = try PublicSymbols()
        let code = Project.swift(in: "Examples/REPL").values.joined()
        let used = Set(code.matches(of: /[.\\](\w+)/).map { String($0.output.1) })
        let missing = symbols.calls(of: Self.types).filter { name in
            let base = name.split(separator: ".")[1].prefix { $0 != "(" }
            return !used.contains(String(base)) && Exemptions.reasons[name] == nil
        }
        #expect(missing == [], "no command uses these, and no exemption says why")
        let known = Set(symbols.names)
        #expect(Exemptions.reasons.keys.filter { !known.contains($0) } == [], "there are none")
    }

    /// The types that commands take as JSON, each with one of these commands.
    static let records = [
        "MessageSelectionParams": "open", "MessageListParams": "open",
        "ThreadedMessageListParams": "thread",
        "MessageChangelogParams": "changelog messages",
        "GroupChannelChangelogParams": "changelog channels",
        "GroupChannelListQuery": "list", "NewMessage": "send",
        "MessageUpdateParams": "edit", "UserMessageUpdateParams": "edit",
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
            ("GroupChannelCreateParams", Setting.ofGroupChannel.map(\.name)),
            ("OpenChannelCreateParams", Setting.ofOpenChannel.map(\.name)),
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
        let names = Set(Setting.ofClient.map(\.name))
        for (type, prefix) in Self.options {
            let missing = symbols.settableProperties(of: type).filter {
                !names.contains(prefix + $0) && Exemptions.reasons["\(type).\($0)"] == nil
            }
            #expect(missing == [], "option cannot set these of \(type)")
        }
    }
}

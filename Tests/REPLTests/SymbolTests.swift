import ScrollbackTestSupport
import Testing

@testable import ScrollbackREPL

/// Compares the commands with the public symbols of the modules, which are in the compiler's symbol
/// graphs.
@Suite struct SymbolTests {
    /// The types whose methods an app calls, and whose properties it uses.
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

    /// The code of the prompt calls each method with its argument labels, and uses each property.
    ///
    /// Two methods of the same full signature, such as `ChatClient.delete(_:in:)` and
    /// `SyncEngine.delete(_:in:)`, cannot be distinguished: a call stands for both.
    @Test func everyPublicCallIsMadeByACommand() throws {
        let symbols = try PublicSymbols()
        let calls = SourceCalls(in: Project.swift(in: "Examples/REPL").values.joined())
        let required = symbols.requiredProperties(of: "StoreReader")
        #expect(!required.isEmpty, "the requirements were not found")
        let members = try symbols.members(of: Self.types)
        let missing = members.filter { member in
            !calls.include(member) && !Exemptions.closures.contains(member.name)
                // Each method of a reader uses it.
                && !(member.parameters == nil && required.contains(member.baseName))
        }
        #expect(missing.map(\.name) == [], "no command makes these calls")
        let withClosures = Set(members.filter(\.needsClosure).map(\.name))
        #expect(Exemptions.closures.subtracting(withClosures) == [], "these take no closure")
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

import EmbeddedServer
import Scrollback

/// What TAB offers.
enum Completion {
    /// Where the words come from that may follow a command.
    enum Source {
        case nothing
        case commands
        case types
        case savable
        case channels
        case orders
        case tables
        case devices
        case messages
        case requests
        case files
        case calls
        case conditions
        case options

        @MainActor func words(_ workspace: Workspace) -> [String] {
            switch self {
            case .nothing: []
            case .commands: Command.all.map(\.name)
            case .types: RecordType.names
            case .savable: ["Message", "GroupChannel", "OpenChannel", "User", "Draft"]
            // Where no store is open, or it cannot be read, the command itself says so.
            case .channels: (try? workspace.store.channelURLs())?.map(\.rawValue) ?? []
            case .orders: Command.channelOrders
            case .tables: RowDescription.allTables
            case .devices: (try? workspace.world.devices.map(\.name)) ?? []
            case .messages:
                workspace.device?.collection?.messages.suffix(100)
                    .compactMap { $0.messageID?.rawValue ?? $0.requestID?.rawValue } ?? []
            case .requests: (try? workspace.store.drafts().map(\.requestID.rawValue)) ?? []
            // readline completes these by itself.
            case .files: []
            case .calls: BackendCall.allCases.map(\.rawValue)
            case .conditions: NetworkCondition.all.map(\.name)
            case .options: ClientOption.all.map(\.name)
            }
        }
    }

    /// The words that may stand where the cursor is.
    ///
    /// - Parameters:
    ///   - word: What is already typed of the word.
    ///   - before: The line before it.
    ///   - workspace: Where the names of channels come from.
    /// - Returns: The words, in alphabetical order; they may differ from `word` in their case.
    @MainActor static func words(
        _ word: String, after before: String, in workspace: Workspace = Workspace()
    ) -> [String] {
        let typed = before.split(separator: " ")
        var candidates = Source.commands.words(workspace).nextWords(after: typed)
        if let command = try? Command.command(for: typed), typed.count == command.words.count {
            candidates += command.offers.words(workspace)
        }
        if let first = typed.first, first == "help" {
            candidates = Source.commands.words(workspace).nextWords(after: typed.dropFirst())
        }
        let word = word.lowercased()
        return Set(candidates).filter { $0.lowercased().hasPrefix(word) }.sorted()
    }
}

extension [String] {
    /// The words that follow some others in these texts.
    fileprivate func nextWords(after words: some Collection<Substring>) -> [String] {
        compactMap { text in
            let all = text.split(separator: " ")
            guard all.starts(with: words), all.count > words.count else { return nil }
            return String(all[words.count])
        }
    }
}

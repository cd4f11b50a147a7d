import EmbeddedServer
import Scrollback

/// The words that the tab key offers.
enum Completion {
    /// The source of the words that complete an argument.
    enum Source: Equatable {
        case nothing
        /// Fixed words.
        case oneOf([String])
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
        case directories
        case calls
        case conditions
        case options

        @MainActor func words(_ workspace: Workspace) -> [String] {
            switch self {
            // File names are completed elsewhere, because they depend on the typed path.
            case .nothing, .files, .directories: []
            case .oneOf(let words): words
            case .commands: Command.all.map(\.name)
            case .types: RecordType.names
            case .savable: ["Message", "GroupChannel", "OpenChannel", "User", "OutboxItem"]
            // Ignore the error: the command reports a store that cannot be read.
            case .channels: (try? workspace.store.channelURLs())?.map(\.rawValue) ?? []
            case .orders: Command.channelOrders
            case .tables: RowDescription.allTables
            case .devices:
                ((try? workspace.world.devices.map(\.name)) ?? []) + workspace.keptDeviceNames
            case .messages:
                workspace.device?.collection?.messages.suffix(100)
                    .compactMap { $0.messageID?.rawValue ?? $0.requestID?.rawValue } ?? []
            case .requests: (try? workspace.store.outboxItems().map(\.requestID.rawValue)) ?? []
            case .calls: BackendCall.allCases.map(\.rawValue)
            case .conditions: NetworkCondition.all.map(\.name)
            case .options: ClientOption.all.map(\.name)
            }
        }
    }

    /// Returns the words that may be inserted at the cursor.
    ///
    /// - Parameters:
    ///   - word: The typed part of the word.
    ///   - before: The line before the word.
    ///   - workspace: The workspace whose channels, devices and other names are offered.
    ///   - quote: The quote that is open before the word; `nil` if there is none.
    /// - Returns: The words in alphabetical order. Their case may differ from that of `word`.
    @MainActor static func words(
        _ word: String, after before: String, in workspace: Workspace = Workspace(),
        quote: Character? = nil
    ) -> [String] {
        var typed = before.split(separator: " ")
        // After the words `as DEVICE`, complete the name of a command.
        if typed.count >= 2, typed[0] == "as" { typed.removeFirst(2) }
        var candidates = Source.commands.words(workspace).nextWords(after: typed)
        if let source = source(after: typed, isInQuote: quote != nil) {
            switch source {
            case .files, .directories:
                return FileCompletion.paths(
                    word, in: quote, directoriesOnly: source == .directories)
            default: candidates += source.words(workspace)
            }
        }
        if let first = typed.first, first == "help" {
            candidates = Source.commands.words(workspace).nextWords(after: typed.dropFirst())
        }
        let word = word.lowercased()
        return Set(candidates).filter { $0.lowercased().hasPrefix(word) }.sorted()
    }

    /// Returns the source of the next word; `nil` if the command is unknown or has no further
    /// argument.
    private static func source(after typed: [Substring], isInQuote: Bool) -> Source? {
        guard let command = try? Command.command(for: typed) else { return nil }
        // Words in quotes are a single argument. An open quote begins the next argument.
        let rest = typed.dropFirst(command.words.count).joined(separator: " ")
        let index = max(0, rest.unquotedWords.count - (isInQuote ? 1 : 0))
        if index < command.offers.count { return command.offers[index] }
        return command.offersForMore ? command.offers.last : nil
    }
}

extension [String] {
    /// Returns, for each text that starts with the given words, the word that follows them.
    fileprivate func nextWords(after words: some Collection<Substring>) -> [String] {
        compactMap { text in
            let all = text.split(separator: " ")
            guard all.starts(with: words), all.count > words.count else { return nil }
            return String(all[words.count])
        }
    }
}

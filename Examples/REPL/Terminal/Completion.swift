import EmbeddedServer
import Scrollback

/// The words that the tab key offers.
///
/// In a command's usage, a word in capitals, such as `CHANNEL`, represents names, and any other
/// word itself.
enum Completion {
    /// Returns the possible words at the cursor, after the line `before` the word and the open
    /// quote, in alphabetical order.
    ///
    /// Words with control characters or direction marks, which readline would print, are omitted.
    /// Case is ignored.
    @MainActor static func words(
        _ word: String, after before: String, in workspace: Workspace = Workspace(),
        quote: Character? = nil
    ) -> [String] {
        var typed = before.split(separator: " ")
        if typed.count >= 2, typed[0] == "as" { typed.removeFirst(2) }
        var candidates = commandWords(after: typed.first == "help" ? typed.dropFirst() : typed[...])
        var paths: [String] = []
        // Ignore the error: performing the line reports it.
        if typed.first != "help", let command = try? Command.command(for: typed) {
            // Words in quotes are a single argument, and an open quote begins the next one.
            let rest = typed.dropFirst(command.words.count).joined(separator: " ").unquotedWords
            let index = max(0, rest.count - (quote == nil ? 0 : 1))
            for form in command.forms(at: index, after: rest.prefix(index).last) {
                switch form.split(separator: "=").last {
                case "FILE", "PATH": paths += FileCompletion.paths(word, in: quote)
                case "DIRECTORY":
                    paths += FileCompletion.paths(word, in: quote, directoriesOnly: true)
                default: candidates += names(form, workspace)
                }
            }
        }
        let start = word.untyped(in: quote).lowercased()
        let words =
            candidates.filter { $0.lowercased().hasPrefix(start) }
            .compactMap { $0.typed(in: quote) } + paths
        return Set(words.filter { !$0.unicodeScalars.contains(where: \.isControl) }).sorted()
    }

    private static func commandWords(after typed: ArraySlice<Substring>) -> [String] {
        Command.all.map(\.words).filter { $0.starts(with: typed) && $0.count > typed.count }
            .map { String($0[typed.count]) }
    }

    @MainActor private static func names(_ form: String, _ workspace: Workspace) -> [String] {
        // Ignore errors: the command reports them.
        switch form {
        case "CHANNEL": (try? workspace.store.channelURLs())?.map(\.rawValue) ?? []
        case "USER", "DEVICE":
            ((try? workspace.world.devices.map(\.name)) ?? []) + workspace.keptDeviceNames
        case "ID":
            workspace.device?.collection?.messages.suffix(100)
                .compactMap { $0.messageID?.rawValue ?? $0.requestID?.rawValue } ?? []
        case "REQUESTID": (try? workspace.store.outboxItems().map(\.requestID.rawValue)) ?? []
        case "TYPE": RecordType.names
        case "ORDER": Command.channelOrders
        case "TABLE": RowDescription.allTables
        case "REQUEST":
            (try? workspace.device?.client.engine.backend.requests.types)?.map {
                "\($0.declaration.name)"
            } ?? []
        case "CALL":
            Command.Arguments.callNames(of: workspace.device?.network).map(\.rawValue)
        case "CODE": Command.codes.map(\.description)
        case "CONDITION": NetworkCondition.all.map(\.name)
        case "OPTION": Setting.ofClient.map(\.name)
        case "SETTING": Setting.ofServer.map(\.name)
        default: form.first?.isLowercase == true ? [form] : []
        }
    }
}

extension Command {
    /// Returns the words of the usage, such as `CHANNEL` and `all`, for the argument at an index.
    ///
    /// After a word such as `in`, the next word of the usage follows.
    fileprivate func forms(at index: Int, after previous: String?) -> [String] {
        // The alternatives for each argument, and the repeatable ones.
        var forms: [[String]] = []
        var repeated: [(index: Int, forms: [String])] = []
        var isAlternative = false
        for part in usage.split(separator: " ") {
            let word = part.filter { !"[]().".contains($0) }
            if word == "|" {
                isAlternative = true
            } else if isAlternative {
                forms[forms.count - 1].append(word)
                isAlternative = false
            } else if !word.isEmpty {
                forms.append([word])
            }
            if part.contains("...") { repeated.append((forms.count - 1, forms.last ?? [])) }
        }
        if let place = forms.firstIndex(where: { $0.contains(previous ?? "") }),
            previous?.first?.isLowercase == true, place + 1 < forms.count
        {
            return forms[place + 1]
        }
        return (index < forms.count ? forms[index] : [])
            + repeated.filter { $0.index < index }.flatMap(\.forms)
    }
}

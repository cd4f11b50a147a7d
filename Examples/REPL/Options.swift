import Foundation
import Scrollback

struct Options {
    /// The directory of all data; `nil` to keep data in memory.
    var home: URL? = Options.defaultHome

    var encryptionKey: EncryptionKey?

    var homeserver: URL?

    var user: String?

    var secrets = Secrets()

    /// The file of commands; `nil` to read commands from the terminal or a pipe.
    var script: String?

    var isJSON = false

    var isQuiet = false

    /// The start of a clock that only commands advance; `nil` for the system's clock.
    var clock: Timestamp?

    var isDemo = false

    /// The maximum time that a command waits for its effects; by default, 300 ms at the prompt,
    /// otherwise 10 s.
    var patience: Duration?

    static var usage: String {
        """
        usage: scrollback [OPTION ...]

          --demo            begin with example users, channels and messages
          --home DIRECTORY  the directory of all data (default: \(defaultHome.path),
                            which is scrollback in $XDG_DATA_HOME if that is an absolute path,
                            or else in .local/share of the account's home directory)
          --memory          keep all data in memory
          --key-file FILE   encrypt the devices' data with the key in a file, which is created if missing
          --matrix URL      use a Matrix homeserver instead of the embedded server
          --user USER       connect this user first, such as @alice:localhost
          --secrets FILE    read passwords and tokens of Matrix users from lines of a file:
                            USER password PASSWORD, or USER token TOKEN
          --script FILE     run the commands of a file, and stop at the first that fails
          --json            print lines of JSON, for machines: see help --json
          --quiet           print errors only
          --patience TIME   how long a command waits for its effects: 0ms, 2s
                            (default: 10s, and 300ms at the prompt)
          --clock TIME      use a clock that advances by one second with each command
          --help            show this

        $SCROLLBACK_PASSWORD or $SCROLLBACK_TOKEN is the secret of --user, if --secrets has none. The
        prompt asks for the passwords of other Matrix users.

        Commands come from the terminal, a pipe or a script; the exit status is 1 if one fails, or if
        the output cannot be written.
        """
    }

    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        var keyFile: URL?
        var given: Set<String> = []
        func value(of option: String) throws -> String {
            guard let value = rest.popFirst() else {
                throw CommandError.failed("\(option) needs a value: see --help")
            }
            return value
        }
        while let option = rest.popFirst() {
            guard given.insert(option).inserted, !given.isSuperset(of: ["--memory", "--home"])
            else {
                throw CommandError.failed(
                    option == "--memory" || option == "--home"
                        ? "data is either in memory or in one directory: --memory or --home"
                        : "\(option) is given twice")
            }
            switch option {
            case "--demo": isDemo = true
            case "--memory": home = nil
            case "--home": home = try URL(typed: try value(of: option))
            case "--key-file":
                keyFile = try URL(typed: try value(of: option))
            case "--matrix": homeserver = try Options.homeserver(try value(of: option))
            case "--user": user = try value(of: option)
            case "--secrets": secrets = try Secrets(file: try URL(typed: try value(of: option)))
            case "--json": isJSON = true
            case "--quiet": isQuiet = true
            case "--script": script = try value(of: option)
            case "--patience":
                let text = try value(of: option)
                guard let duration = Duration(typed: text) else {
                    throw CommandError.failed("'\(text)' is not a duration, such as 500ms or 2s")
                }
                patience = duration
            case "--clock":
                let text = try value(of: option)
                guard let time = Timestamp(typed: text) ?? Timestamp(typed: "@\(text)") else {
                    throw CommandError.failed(
                        "'\(text)' is not a time, such as 2023-11-14T22:13:20Z")
                }
                clock = time
            default: throw CommandError.failed("there is no option '\(option)': see --help")
            }
        }
        if let keyFile { encryptionKey = try EncryptionKey(file: keyFile, of: home) }
        guard homeserver != nil else { return }
        for (option, isUsed) in [("--demo", isDemo), ("--clock", clock != nil)] where isUsed {
            throw CommandError.failed("\(option) needs the embedded server: leave out --matrix")
        }
        if let user { secrets.add(ProcessInfo.processInfo.environment, of: user) }
    }

    private static func homeserver(_ text: String) throws -> URL {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host() != nil
        else {
            throw CommandError.failed(
                "'\(text)' is not the address of a homeserver, such as http://127.0.0.1:8008")
        }
        return url
    }

    var world: World.Options {
        var options = World.Options(home: home, start: clock, encryptionKey: encryptionKey)
        if let homeserver {
            options.host = .matrix(homeserver, secrets)
            options.home = home?.appending(path: "matrix")
                .appending(path: Options.directoryName(of: homeserver))
        }
        return options
    }

    /// Two homeservers may have users with the same ID, also on one host.
    private static func directoryName(of homeserver: URL) -> String {
        let host = homeserver.host()?.lowercased() ?? ""
        let port = homeserver.port ?? (homeserver.scheme == "http" ? 80 : nil)
        // The names must differ on a disk that ignores the case of letters, too.
        let allowed = CharacterSet(charactersIn: "a"..."z").union(.decimalDigits)
        let path = homeserver.path(percentEncoded: true).split(separator: "/").map { component in
            "%2F" + (component.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")
        }
        return "\(host)\(port.map { "_\($0)" } ?? "")\(path.joined())"
    }

    var firstCommand: String? { isDemo ? "demo" : user.map { "connect '\($0)'" } }

    private static var defaultHome: URL {
        let environment = ProcessInfo.processInfo.environment
        let home = FileManager.default.homeDirectoryForCurrentUser
        let data =
            environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
            ?? home.appending(path: ".local/share")
        return data.appending(path: "scrollback", directoryHint: .isDirectory)
    }
}

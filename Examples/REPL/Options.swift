import Foundation
import Scrollback

/// The options of the command line.
struct Options {
    /// The directory of all data; `nil` for memory.
    var home: URL? = Options.defaultHome

    /// The key of the devices' files; `nil` for plain files.
    var encryptionKey: EncryptionKey?

    /// The name of the server.
    var backend = "embedded"

    /// The file of commands; `nil` for the terminal or a pipe.
    var script: String?

    /// The start of a clock that only commands advance; `nil` for the system's clock.
    var clock: Timestamp?

    /// A Boolean value that indicates whether `demo` runs first.
    var isDemo = false

    /// A Boolean value that indicates whether results are lines of JSON.
    var isJSON = false

    /// A Boolean value that indicates whether only errors are shown.
    var isQuiet = false

    /// The longest time that a command waits for its effects; `nil` for 10 s, or 300 ms at a
    /// prompt.
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
          --backend NAME    the chat server: \(Options.backends) (default: embedded)
          --script FILE     run the commands of a file, and stop at the first that fails
          --json            print lines of JSON, for machines: see help --json
          --quiet           print errors only
          --patience TIME   how long a command waits for its effects: 0ms, 2s
                            (default: 10s, and 300ms at the prompt)
          --clock TIME      use a clock that advances by one second with each command
          --help            show this

        Commands come from the terminal, a pipe or a script; the exit status is 1 if one fails.
        """
    }

    private static let backends = "embedded"

    /// Reads the arguments after the program's name.
    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        func value(of option: String) throws -> String {
            guard let value = rest.popFirst() else {
                throw CommandError.failed("\(option) needs a value: see --help")
            }
            return value
        }
        while let option = rest.popFirst() {
            switch option {
            case "--demo": isDemo = true
            case "--memory": home = nil
            case "--home": home = try URL(typed: try value(of: option))
            case "--key-file":
                encryptionKey = try EncryptionKey(
                    file: try URL(typed: try value(of: option)), creates: true)
            case "--backend": backend = try value(of: option)
            case "--script": script = try value(of: option)
            case "--json": isJSON = true
            case "--quiet": isQuiet = true
            case "--patience":
                let text = try value(of: option)
                guard let duration = Duration(typed: text) else {
                    throw CommandError.failed("'\(text)' is no duration, such as 500ms or 2s")
                }
                patience = duration
            case "--clock":
                let text = try value(of: option)
                guard let time = Timestamp(number: text) ?? Timestamp(typed: text) else {
                    throw CommandError.failed("'\(text)' is no time, such as 2023-11-14T22:13:20Z")
                }
                clock = time
            default: throw CommandError.failed("there is no option '\(option)': see --help")
            }
        }
    }

    /// The options of the world.
    var world: World.Options {
        World.Options(home: home, host: backend, start: clock, encryptionKey: encryptionKey)
    }

    private static var defaultHome: URL {
        let environment = ProcessInfo.processInfo.environment
        let home = FileManager.default.homeDirectoryForCurrentUser
        let data =
            environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
            ?? home.appending(path: ".local/share")
        return data.appending(path: "scrollback", directoryHint: .isDirectory)
    }
}

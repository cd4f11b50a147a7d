import Foundation
import Scrollback

/// What is told on the command line.
struct Options {
    /// Where everything is; `nil` for memory.
    var home: URL? = Options.defaultHome

    /// What the devices' files are encrypted with; `nil` if they are not.
    var encryptionKey: EncryptionKey?

    /// Which server.
    var backend = "embedded"

    /// The file of commands; `nil` for the terminal, or for what comes by a pipe.
    var script: String?

    /// When a clock stands that only commands move; `nil` for the system's.
    var clock: Timestamp?

    /// Whether the demo world is opened first.
    var isDemo = false

    /// Whether commands are answered by lines of JSON.
    var isJSON = false

    /// Whether only errors are shown.
    var isQuiet = false

    /// How long a command waits at most for what it has begun; `nil` for 10 s, or 300 ms at a prompt.
    var patience: Duration?

    static var usage: String {
        """
        usage: scrollback [OPTION ...]

          --demo            begin with a small world to look around in
          --home DIRECTORY  where everything is kept (default: \(defaultHome.path),
                            which is scrollback in $XDG_DATA_HOME if that is an absolute path,
                            or else in .local/share of the account's home directory)
          --memory          keep nothing on the disk
          --key-file FILE   encrypt what devices keep, with the key in a file that is made if need be
          --backend NAME    which chat server: \(Options.backends) (default: embedded)
          --script FILE     run the commands of a file, and stop at the first that fails
          --json            answer in lines of JSON, for machines: help --json tells more
          --quiet           show errors only
          --patience TIME   how long a command waits for what it has begun: 0ms, 2s
                            (default: 10s, and 300ms at the prompt)
          --clock TIME      a clock that stands still, and goes on a second with each command
          --help            show this

        Commands come from the terminal, a pipe or a script; the exit status is 1 if one fails.
        """
    }

    private static let backends = "embedded"

    /// Reads the arguments behind the program's name.
    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        func value(of option: String) throws -> String {
            guard let value = rest.popFirst() else {
                throw CommandError.failed("\(option) needs a value: --help tells which")
            }
            return value
        }
        while let option = rest.popFirst() {
            switch option {
            case "--demo": isDemo = true
            case "--memory": home = nil
            case "--home": home = URL(typed: try value(of: option))
            case "--key-file":
                encryptionKey = try EncryptionKey(file: URL(typed: try value(of: option)))
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
                guard let time = Timestamp(typed: text) else {
                    throw CommandError.failed("'\(text)' is no time, such as 2023-11-14T22:13:20Z")
                }
                clock = time
            default: throw CommandError.failed("there is no option '\(option)': see --help")
            }
        }
    }

    /// How its world is made.
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

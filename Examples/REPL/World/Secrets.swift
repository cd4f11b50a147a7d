import Foundation
import Scrollback

/// The passwords and access tokens of Matrix users, which are not on the command line: other users
/// of the machine could read it.
struct Secrets {
    enum Secret: Equatable {
        case password(String)
        case token(String)
    }

    private var secrets: [String: Secret] = [:]

    init() {}

    /// Reads a file that other users cannot read, with lines `USER password PASSWORD` or
    /// `USER token TOKEN`.
    init(file: URL) throws {
        guard let text = try SecretFile(file).read("the secrets") else {
            throw CommandError.failed("there is no file of secrets '\(file.path)'")
        }
        for (number, line) in zip(1..., text.textLines) {
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
            switch parts.count == 3 ? parts[1] : "" {
            case "password": secrets[parts[0]] = .password(parts[2])
            case "token": secrets[parts[0]] = .token(parts[2])
            default:
                // The error does not quote the line, which may have a secret.
                throw CommandError.failed(
                    "line \(number) of \(file.path) is not USER password PASSWORD "
                        + "or USER token TOKEN")
            }
        }
    }

    /// Adds a user's secret from the environment, unless the file has one.
    mutating func add(_ environment: [String: String], of user: String) {
        guard secrets[user] == nil else { return }
        if let token = environment["SCROLLBACK_TOKEN"] {
            secrets[user] = .token(token)
        } else if let password = environment["SCROLLBACK_PASSWORD"] {
            secrets[user] = .password(password)
        }
    }

    subscript(user: String) -> Secret? {
        get { secrets[user] }
        set { secrets[user] = newValue }
    }
}

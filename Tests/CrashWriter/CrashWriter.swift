// `StoreCrashWriter directory seed first [encrypted]` writes steps to a store until the process is
// killed. It prints each step after the store has promised to keep it. With `drops` in place of the
// seed, the process leaves messages in the push inbox of a store that another process has open.

import Foundation
import Models
import Store

@main struct CrashWriter {
    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count >= 4, arguments[2] == "drops", let first = Int(arguments[3]) {
            return try leavePushes(in: URL(filePath: arguments[1]), from: first)
        }
        guard arguments.count == 4 || arguments.count == 5, let seed = Int(arguments[2]),
            let first = Int(arguments[3])
        else {
            FileHandle.standardError.write(
                Data("usage: directory seed | drops first [encrypted]\n".utf8))
            exit(2)
        }
        say("opening")
        let store = try ChatStore(
            at: URL(filePath: arguments[1]), options: Steps.smallFiles,
            encryptionKey: arguments.last == "encrypted" ? Steps.key : nil)
        say("opened")
        let steps = Steps(seed: seed)
        // The limit ends this process if the parent, which should kill it, has ended.
        for number in first..<first + 1_000 {
            try steps.write(number, to: store)
            say("\(number) \(steps.promise(of: number))")
        }
    }

    private static func leavePushes(in directory: URL, from first: Int) throws {
        say("opening")
        let key = CommandLine.arguments.last == "encrypted" ? Steps.key : nil
        guard let box = try PushInbox(in: directory, encryptionKey: key) else {
            say("no box")
            exit(4)
        }
        for number in first..<first + 1_000 {
            try box.leave(Steps.drop(number))
            say("\(number)")
        }
    }

    /// Prints a line by a single write.
    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        if write(STDOUT_FILENO, bytes, bytes.count) != bytes.count { exit(3) }
    }
}

// `StoreCrashWriter directory seed first [encrypted]`: writes steps to a store until it is killed,
// and prints each one when the store has promised to keep it.

import Foundation
import Store

@main struct CrashWriter {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 || arguments.count == 5, let seed = Int(arguments[2]),
            let first = Int(arguments[3])
        else {
            FileHandle.standardError.write(
                Data("usage: directory seed first [encrypted]\n".utf8))
            exit(2)
        }
        say("opening")
        let store = try ChatStore(
            at: URL(filePath: arguments[1]), options: Steps.smallFiles,
            encryptionKey: arguments.last == "encrypted" ? Steps.key : nil)
        say("opened")
        let steps = Steps(seed: seed)
        // Nobody waits for a thousandth line: the end is for a parent that died.
        for number in first..<first + 1_000 {
            try steps.write(number, to: store)
            say("\(number) \(steps.promise(of: number))")
        }
    }

    /// Prints a line in one piece, at once.
    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        if write(STDOUT_FILENO, bytes, bytes.count) != bytes.count { exit(3) }
    }
}

// All of `scrollback` except its `main`, which tests and fuzzers can link.
//
// GNU readline is under the GPL. Only this example uses it, not a library of the package.

import Foundation

/// The command-line interface for people and scripts.
package enum REPL {
    /// Runs the program with the process's arguments; may end the process.
    @MainActor package static func run() async {
        StandardFiles.replaceClosed()
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.contains("--help") {
            let error = StandardFiles.write("\(Options.usage)\n", to: STDOUT_FILENO)
            exit(error == 0 ? 0 : 1)
        }
        do {
            let options = try Options(arguments)
            if options.script == nil, isatty(STDIN_FILENO) == 1 {
                await Prompt.run(options)
            } else {
                exit(await Script.run(options) ? 0 : 1)
            }
        } catch {
            _ = StandardFiles.write("error: \(sentence(of: error))\n", to: STDERR_FILENO)
            exit(2)
        }
    }
}

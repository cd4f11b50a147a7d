// All of `scrollback` except its `main`, so that tests and fuzzers can link it.
//
// GNU readline is under the GPL. Only this example uses it, not a library of the package.

import Foundation

/// The command-line interface: a prompt for people, or commands from scripts.
package enum REPL {
    /// Runs the program with the arguments of the process, which it may end.
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

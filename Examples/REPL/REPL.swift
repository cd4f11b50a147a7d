// All of `scrollback` except its `main`, so that tests and fuzzers can link it, too.
//
// The line editor is GNU readline, which is under the GPL. It stays in this example, and out of
// every library of the package.

import Foundation

/// The package at a prompt, or as a program that scripts talk to.
package enum REPL {
    /// Runs it with the arguments of the process, to its end; the process may end here.
    @MainActor package static func run() async {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.contains("--help") {
            print(Options.usage)
            return
        }
        do {
            let options = try Options(arguments)
            if options.script == nil, isatty(STDIN_FILENO) == 1 {
                await Prompt.run(options)
            } else {
                exit(await Script.run(options) ? 0 : 1)
            }
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(2)
        }
    }
}

// `scrollback`: the package at a prompt.
//
// The line editor is GNU readline, which is under the GPL. It stays in this example, and out of
// every library of the package.

import Foundation

@main struct REPL {
    @MainActor static func main() async {
        if isatty(STDIN_FILENO) == 1 {
            await Prompt.run()
        } else {
            exit(await Script.run() ? 0 : 1)
        }
    }
}

// @preconcurrency: the variables of a C library have no isolation.
@preconcurrency import CScrollbackReadline
import Dispatch
import Foundation

/// A line editor that wraps GNU readline, and can print text while the user types.
///
/// Because readline uses global variables, there is only one editor, on the main actor. The main
/// queue passes keys to readline's callbacks, so that no thread blocks.
@MainActor final class LineEditor {
    static let shared = LineEditor()

    /// Returns a word's completions, given the line before it and the open quote.
    var completions: (_ word: String, _ before: String, _ quote: Character?) -> [String] = {
        _, _, _ in []
    }

    private var keys: (any DispatchSourceRead)?
    private var signals: [any DispatchSourceSignal] = []
    private var continuation: AsyncStream<String>.Continuation?
    private var prompt = ""
    private var isShowingProgress = false

    private(set) var isTerminated = false
    private var plainProgress = PlainProgress()

    /// Called when the user presses Ctrl-C during a command.
    var onInterrupt: (() -> Void)?

    private let hasColours: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR", default: ""].isEmpty
            && environment["TERM", default: "dumb"] != "dumb"
    }()

    private init() {}

    var width: Int {
        var rows: CInt = 0
        var columns: CInt = 0
        rl_get_screen_size(&rows, &columns)
        return columns > 8 ? Int(columns) : 80
    }

    /// Shows the prompt, and returns the typed lines until Ctrl-D, SIGTERM or ``stop()``.
    func lines(prompt: String) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        self.continuation = continuation
        useUTF8()
        rl_readline_name = UnsafePointer(strdup("scrollback"))  // readline keeps the pointer
        rl_catch_signals = 0  // readline's signal handlers only work while it reads a key
        rl_catch_sigwinch = 0
        rl_attempted_completion_function = didPressTab
        // The completion of file names handles quotes itself.
        rl_completer_word_break_characters = UnsafePointer(strdup(" \t\n"))
        rl_completer_quote_characters = UnsafePointer(strdup("'\""))
        rl_char_is_quoted_p = isEscaped
        handleSignals()
        self.prompt = prompt
        rl_callback_handler_install(shown(prompt), didReadLine)
        readKeys()
        return stream
    }

    private func readKeys() {
        let keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
        keys.setEventHandler { MainActor.assumeIsolated { rl_callback_read_char() } }
        keys.activate()
        self.keys = keys
    }

    /// Makes readline read UTF-8 even in an ASCII locale, as in most containers: it would delete
    /// single bytes.
    private func useUTF8() {
        setlocale(LC_CTYPE, "")
        guard String(cString: nl_langinfo(nl_item(CODESET))) != "UTF-8" else { return }
        let name = ["C.UTF-8", "en_US.UTF-8"].first { (name: String) in
            setlocale(LC_CTYPE, name) != nil
        }
        if let name { setenv("LC_ALL", name, 1) }  // readline reads the environment itself
    }

    func stop() {
        continuation?.finish()
        guard let keys else { return }
        keys.cancel()
        self.keys = nil
        rl_callback_handler_remove()
    }

    func print(_ text: String) { printAbove(text.visible) }

    func printReply(_ text: String) {
        guard !text.isEmpty else { return }
        let lines = text.visible.split(separator: "\n", omittingEmptySubsequences: false)
        printAbove(lines.map { coloured(String($0)) }.joined(separator: "\n"))
    }

    func printAbovePrompt(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        printAbove(lines.map { coloured($0.visible.oneLine) }.joined(separator: "\n"))
    }

    func printError(_ text: String) { printAbove(inColour(31, text.visible)) }

    private func printAbove(_ text: String) {
        if keys != nil { rl_clear_visible_line() }
        Swift.print(text)
        fflush(nil)
        guard keys != nil else { return }
        rl_on_new_line()
        rl_redisplay()
        fflush(nil)  // readline leaves its output in the buffer
    }

    /// Returns an event's line in the color of its kind, and other lines unchanged.
    private func coloured(_ line: String) -> String {
        switch line.prefix(2) {
        case "+ ": inColour(32, line)
        case "* ", "~ ": inColour(36, line)
        case "- ": inColour(33, line)
        case "! ": inColour(31, line)
        case "= ", "… ", "— ": inColour(2, line)
        default: line
        }
    }

    private func inColour(_ number: Int, _ text: String) -> String {
        hasColours ? "\u{1B}[\(number)m\(text)\u{1B}[0m" : text
    }

    // MARK: Secrets

    /// Asks for a secret, which is neither shown nor added to the history; `nil` for an empty line,
    /// and after Ctrl-C or Ctrl-D.
    func secret(_ question: String) async -> String? {
        guard let keys else { return await SecretInput.read(question) }
        // Cancel the source of keys: if suspended, it would report the bytes of the secret when
        // resumed, and readline would block the main queue waiting for them.
        keys.cancel()
        self.keys = nil
        rl_clear_visible_line()
        rl_callback_handler_remove()
        let secret = await SecretInput.read(question)
        rl_callback_handler_install(shown(prompt), didReadLine)
        readKeys()
        return secret
    }

    // MARK: The prompt

    func setPrompt(_ prompt: String) {
        guard prompt != self.prompt else { return }
        self.prompt = prompt
        if !isShowingProgress { redisplay(shown(prompt)) }
    }

    /// Shows progress in place of the prompt; `nil` ends it.
    ///
    /// If the terminal cannot overwrite a line, new lines are printed at intervals.
    func showProgress(_ text: String?) {
        guard keys == nil || canMoveUp else {
            if let line = plainProgress.line(text, at: .now) {
                print(String(line.prefix(max(1, width - 4))))
            }
            return
        }
        guard text != nil || isShowingProgress else { return }
        isShowingProgress = text != nil
        redisplay(text.map { "\($0.visible.prefix(max(1, width - 4))) " } ?? shown(prompt))
    }

    /// If `false`, readline uses only one line, and may cut it inside a character.
    private var canMoveUp: Bool { rl_get_termcap("up") != nil }

    private func redisplay(_ prompt: String) {
        guard keys != nil else { return }
        rl_clear_visible_line()
        rl_set_prompt(prompt)
        rl_on_new_line()
        rl_redisplay()
        fflush(nil)  // readline leaves its output in the buffer
    }

    /// Returns the prompt in color; its marked bytes do not count as columns.
    private func shown(_ prompt: String) -> String {
        hasColours ? "\u{01}\u{1B}[1m\u{02}\(prompt)\u{01}\u{1B}[0m\u{02}" : prompt
    }

    fileprivate func accept(_ line: String?) {
        guard let line else {
            stop()
            Swift.print()
            return
        }
        if !line.isEmpty { add_history(line) }
        continuation?.yield(line)
    }

    private func handleSignals() {
        on(SIGINT) {
            if let interrupt = LineEditor.shared.onInterrupt {
                interrupt()
                return
            }
            rl_callback_sigcleanup()
            rl_free_line_state()
            rl_replace_line("", 0)
            rl_crlf()
            rl_on_new_line()
            rl_redisplay()
        }
        on(SIGWINCH) { rl_resize_terminal() }
        on(SIGCONT) {
            // The shell has changed the terminal's settings, which readline would otherwise not
            // notice.
            rl_deprep_terminal()
            rl_prep_terminal(1)
            rl_forced_update_display()
        }
        on(SIGTERM) {
            LineEditor.shared.isTerminated = true
            LineEditor.shared.stop()
        }
    }

    private func on(_ number: Int32, _ body: @escaping @MainActor () -> Void) {
        signal(number, number == SIGCONT ? SIG_DFL : SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
        source.setEventHandler { MainActor.assumeIsolated(body) }
        source.activate()
        signals.append(source)
    }
}

/// Receives a line from readline, or a null pointer after Ctrl-D.
private func didReadLine(_ pointer: UnsafeMutablePointer<CChar>?) {
    let line = pointer.map { String(cString: $0) }
    free(pointer)
    MainActor.assumeIsolated { LineEditor.shared.accept(line) }
}

private func isEscaped(_ line: UnsafeMutablePointer<CChar>?, _ index: CInt) -> CInt {
    guard let line else { return 0 }
    var count = 0
    var index = Int(index) - 1
    while index >= 0, line[index] == CChar(UInt8(ascii: "\\")) {
        (count, index) = (count + 1, index - 1)
    }
    return CInt(count % 2)
}

/// Returns completions to readline, given the word's bounds in its buffer.
private func didPressTab(
    _ word: UnsafePointer<CChar>?, _ start: CInt, _ end: CInt
) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
    rl_attempted_completion_over = 1  // no default completion of file names
    guard let word, let line = rl_line_buffer else { return nil }
    let before = String(
        decoding: UnsafeRawBufferPointer(start: line, count: Int(start)), as: UTF8.self
    )
    let typed = String(cString: word)
    let quote = rl_completion_quote_character
    let found = MainActor.assumeIsolated {
        LineEditor.shared.completions(
            typed, before, quote == 0 ? nil : Character(UnicodeScalar(UInt8(quote))))
    }
    guard let first = found.first else { return nil }
    // readline expects the common prefix, the completions and a null pointer, and frees them.
    let common = found.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    let words = found.count == 1 ? found : [common] + found
    if found.count == 1, first.hasSuffix("/") {
        // The path may continue: append neither a space nor a quote.
        rl_completion_suppress_append = 1
        rl_completion_suppress_quote = 1
    }
    let list = calloc(words.count + 1, MemoryLayout<UnsafeMutablePointer<CChar>?>.stride)
    let pointers = list?.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
    for (index, word) in words.enumerated() { pointers?[index] = strdup(word) }
    return pointers
}

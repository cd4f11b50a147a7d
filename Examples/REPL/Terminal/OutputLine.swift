import Foundation
import Scrollback

/// A line of `--json`: a command's result, an error, or an event.
struct OutputLine: Encodable {
    private let kind: Kind
    /// The number of the command's input line; 0 before the first command.
    private let line: Int
    private let text: String
    private var command: String?
    private var input: String?
    private var code: String?
    private var event: String?
    private var values: Values?
    private var warning: String?

    private enum Kind: String, Encodable { case result, error, event }

    init(_ reply: any Reply, to input: String, _ line: Int) {
        (kind, self.line, text, self.input) = (.result, line, reply.text, input)
        command = Command.name(in: input)
        values = reply.values.isEmpty ? nil : reply.values
    }

    init(_ error: any Error, to input: String, _ line: Int) {
        (kind, self.line, text, self.input) = (.error, line, sentence(of: error), input)
        command = Command.name(in: input)
        code = errorCode(of: error)
    }

    init(_ event: Event, _ line: Int) {
        (kind, self.line, text, self.event) = (.event, line, event.text, event.name)
        values = event.values.isEmpty ? nil : event.values
    }

    func with(warning: String?) -> OutputLine {
        var line = self
        line.warning = warning
        return line
    }

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            // A terminal would interpret control characters and direction marks, which JSON allows.
            return String(decoding: try encoder.encode(self), as: UTF8.self).unicodeScalars
                .map { $0.isControl ? $0.jsonEscape : String($0) }
                .joined()
        } catch {
            preconditionFailure("A record, a text or a number cannot be encoded: \(error)")
        }
    }

    static let help = """
        With --json, each line is an object: the result of a command or its error, and an event for
        each notification in between. Its keys:

          kind     result, error or event
          line     the line number of the command, from 1; 0 before the first
          text     the output for people
          command  of a result or error: the name of the command
          input    of a result or error: the whole line as it was typed
          code     of an error: usage, failed, or the code of the package's error, such as notFound
          event    of an event: its name, such as message_received
          values   of a result or event: its values, by name
          warning  why nothing is stored on disk, if a device works in memory because its files
                   cannot be opened; the exit status is then 1

        A record is a value under the name of its type: message, channel, member, user, outbox_item,
        or record for any other; a list of records under messages, channels and so on. Each is the
        JSON that schema TYPE describes. A table has rows, with the cells as texts. total is the
        number of rows or records without a limit; total_bytes is the size of a file. The ids that
        verify, changelog and import return are lists of texts: missing, extra, different, updated,
        deleted and channel_urls. Events also have channel_url, user_id, user_ids, message,
        message_id, request_id, reason, count, unread, change, damage, bytes and error, and device if
        it is not the current device.

        The events:

          channel_banned channel_caught_up channel_changed channel_delivered channel_frozen
          channel_hidden channel_left channel_read channel_removed channel_unfrozen channel_unread
          connected connection_lost connection_restored connection_stopped damage_found
          disconnected history_lost history_reset huge_gap invitation_declined invited left_out
          member_count_changed mentioned message_canceled message_deleted message_failed
          message_received message_sent message_updated messages_evicted metadata_changed
          operators_changed participant_count_changed pinned_messages_changed reactions_changed
          rows_changed session_closed session_renewed store_changed sync_failed thread_changed
          thread_ended typing unread_changed uploaded user_banned user_entered user_exited
          user_joined user_left user_muted user_requested_to_join user_unbanned user_unmuted
        """
}

extension Unicode.Scalar {
    fileprivate var jsonEscape: String {
        let digits = String(value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

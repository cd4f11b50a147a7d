import Foundation
import Scrollback

/// Reads logs of text as JSON objects with the fields of an export.
struct TextLog {
    enum Format: Sendable {
        /// `22:13 <ann> hello`; lines with the date precede.
        case irssi
        /// `2023-11-14 22:13:20`, the nick and the text, separated by tabs.
        case weechat
        /// `[22:13:20] <ann> hello`; the file's name contains the date.
        case znc
        /// `[11/14/23, 10:13:20 PM] Ann: hello`, or `14.11.23, 22:13 - Ann: hello`; further lines
        /// of a text follow.
        case whatsapp
    }

    private let format: Format
    /// `true` if the day precedes the month, in dates with slashes.
    private let isDayFirst: Bool
    private var day: [Int]
    /// The last time, and the number of messages since then.
    ///
    /// Messages of the same time are a millisecond apart, which keeps their order.
    private var last: (time: Int64, count: Int64) = (0, 0)
    /// The message to which further lines may belong.
    private var open: [String: JSONValue]?
    private var openLines: [String] = []

    init(_ format: Format, path: String, isDayFirst: Bool) {
        (self.format, self.isDayFirst) = (format, isDayFirst)
        let name = URL(filePath: path).lastPathComponent
        day =
            name.firstMatch(of: #/(\d{4})-?(\d\d)-?(\d\d)/#)
            .map { [Int($0.1) ?? 0, Int($0.2) ?? 0, Int($0.3) ?? 0] } ?? []
    }

    /// Returns whether the day precedes the month in a line's date; `nil` if the line does not show
    /// it.
    static func isDayFirst(_ line: String) -> Bool? {
        guard let head = Head(line.clean), head.date[0] < 100 else { return nil }
        if head.date[0] > 12 || head.hasDots { return true }
        return head.date[1] > 12 ? false : nil
    }

    /// The beginning of a WhatsApp message: `[11/14/23, 10:13:20 PM] ` or `14.11.23, 22:13 - `.
    private struct Head {
        let date: [Int]
        let hasDots: Bool
        let time: [Int]
        let rest: Substring

        init?(_ line: String) {
            let form =
                #/\[?(\d{1,4})([\/.-])(\d{1,2})[\/.-](\d{1,4}),? (\d{1,2})[:.](\d\d)(?:[:.](\d\d))?(?: ?([AaPp])\.?[Mm]\.?)?(?:\]| -) /#
            guard let match = line.prefixMatch(of: form) else { return nil }
            date = [match.1, match.3, match.4].map { Int($0) ?? 0 }
            hasDots = match.2 == "."
            var hour = Int(match.5) ?? 0
            if let half = match.8?.lowercased() { hour = hour % 12 + (half == "p" ? 12 : 0) }
            time = [hour, Int(match.6) ?? 0, match.7.flatMap { Int($0) } ?? 0]
            rest = line[match.range.upperBound...]
        }
    }

    /// Reads a line, and returns a complete message, if any.
    mutating func read(_ line: String) throws -> JSONValue? {
        let line = line.last?.isNewline == true ? String(line.dropLast()) : line
        switch format {
        case .irssi: return try readIrssi(line)
        case .znc:
            guard let match = line.wholeMatch(of: #/\[(\d\d):(\d\d):(\d\d)\] (.*)/#) else {
                throw CommandError.failed("this is not a line of ZNC: [22:13:20] <ann> hello")
            }
            return try message(match.4, at: (day, match.1, match.2, match.3))
        case .weechat:
            let form = #/(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\t([^\t]*)\t(.*)/#
            guard let match = line.wholeMatch(of: form) else {
                throw CommandError.failed("this is not a line of WeeChat: time, nick and text")
            }
            let prefix = match.7.trimmingCharacters(in: .whitespaces)
            let date = [match.1, match.2, match.3].map { Int($0) ?? 0 }
            let text: Substring =
                switch prefix {
                case "-->", "<--", "--", "=!=", "": "-!- \(match.8)"
                case "*": "* \(match.8)"
                default: "<\(prefix)> \(match.8)"
                }
            return try message(text, at: (date, match.4, match.5, match.6))
        case .whatsapp: return try readWhatsApp(line.clean)
        }
    }

    private mutating func readIrssi(_ line: String) throws -> JSONValue? {
        if let date = line.wholeMatch(
            of: #/--- (?:Log \w+|Day changed) \w+ (\w+) +(\d{1,2})(?!\d).* (\d{4})/#)
        {
            let months = [
                "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
            ]
            let month = months.firstIndex(of: String(date.1.prefix(3))).map { $0 + 1 } ?? 0
            day = [Int(date.3) ?? 0, month, Int(date.2) ?? 0]
            return nil
        }
        guard let match = line.wholeMatch(of: #/\[?(\d\d):(\d\d)(?::(\d\d))?\]? (.*)/#) else {
            throw CommandError.failed("this is not a line of irssi: 22:13 <ann> hello")
        }
        return try message(match.4, at: (day, match.1, match.2, match.3 ?? "0"))
    }

    /// Returns the message of an IRC line: `<ann> hello`, `* ann waves`, `-ann- notice`, or a
    /// notice of the server.
    private mutating func message(
        _ text: Substring, at time: (day: [Int], Substring, Substring, Substring)
    ) throws -> JSONValue {
        let numbers = time.day + [time.1, time.2, time.3].map { Int($0) ?? -1 }
        guard numbers.count == 6 else {
            throw CommandError.failed("the day is unknown: no earlier line and no file name has it")
        }
        var fields = try fields(at: numbers)
        if let match = text.wholeMatch(of: #/<[ @+%~&!]?([^>]+)> (.*)/#) {
            (fields["sender"], fields["message"]) = (.string("\(match.1)"), .string("\(match.2)"))
        } else if let match = text.wholeMatch(of: #/ ?\* (\S+) (.*)/#), match.1 != "***" {
            (fields["sender"], fields["message"]) = (
                .string("\(match.1)"), .string("/me \(match.2)")
            )
        } else if let match = text.wholeMatch(of: #/-([^!: -]+)(?::\S*)?- (.*)/#) {
            (fields["sender"], fields["message"]) = (.string("\(match.1)"), .string("\(match.2)"))
        } else {
            let notice = text.trimmingPrefix(#/-!- |\*\*\* /#)
            (fields["type"], fields["message"]) = ("ADMM", .string(String(notice)))
        }
        return .object(fields)
    }

    private mutating func readWhatsApp(_ line: String) throws -> JSONValue? {
        guard let head = Head(line) else {
            guard open != nil else {
                throw CommandError.failed(
                    "this is not a line of WhatsApp: 14.11.23, 22:13 - Ann: hello")
            }
            openLines.append(line)
            return nil
        }
        let complete = finish()
        var date = head.date
        if date[0] < 100 {
            date = isDayFirst ? [date[2], date[1], date[0]] : [date[2], date[0], date[1]]
            if date[0] < 100 { date[0] += 2000 }
        }
        var fields = try fields(at: date + head.time)
        let rest = head.rest
        if let colon = rest.range(of: ": ") ?? (rest.hasSuffix(":") ? rest.range(of: ":") : nil) {
            fields["sender"] = .string(String(rest[..<colon.lowerBound]))
            fields["message"] = .string(String(rest[colon.upperBound...]))
        } else {
            (fields["type"], fields["message"]) = ("ADMM", .string(String(rest)))
        }
        open = fields
        return complete
    }

    private mutating func fields(at numbers: [Int]) throws -> [String: JSONValue] {
        guard
            let time = LogTime.milliseconds(
                year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3],
                minute: numbers[4], second: numbers[5])
        else { throw CommandError.failed("there is no such date") }
        last = time == last.time ? (time, last.count + 1) : (time, 0)
        return ["created_at": .int(time + last.count)]
    }

    mutating func finish() -> JSONValue? {
        defer { (open, openLines) = (nil, []) }
        if let first = open?["message"]?.string {
            open?["message"] = .string(([first] + openLines).joined(separator: "\n"))
        }
        return open.map { .object($0) }
    }
}

extension String {
    /// The text without the direction marks and narrow spaces that WhatsApp adds.
    fileprivate var clean: String {
        replacing("\u{200E}", with: "").replacing("\u{202F}", with: " ")
    }
}

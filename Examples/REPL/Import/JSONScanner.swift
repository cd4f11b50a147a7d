import Foundation
import Scrollback

/// Divides JSON that arrives piece by piece into the values of a log.
///
/// A log is a sequence of values, an array of them or of such arrays, or an object with such an
/// array under a path of keys. Only one element at a time and small values outside of the array are
/// in memory.
struct JSONScanner {
    /// The maximum size of a value in bytes.
    static let limit = 16 << 20

    /// The maximum number of values outside of the arrays, which cost time for each element;
    /// further ones are skipped.
    private static let contextLimit = 100

    /// The maximum size of a value outside of the arrays, in bytes.
    private static let contextSize = 64 << 10

    /// The maximum size of a key in bytes; the rest is skipped.
    private static let keySize = 1 << 10

    private(set) var context: [String: JSONValue] = [:] { didSet { contextNumber += 1 } }
    /// The number of changes of the context.
    private var contextNumber = 0

    /// The read values, with the values outside of the list at that time.
    var found: [LogLine] = []

    private let lists: [String]
    private var line = 1
    private var frames: [Frame] = []
    private var state = State.before
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var value: [UInt8] = []
    private var firstLine = 1
    /// The bytes of an object, until one of the lists is found in it.
    private var whole: [UInt8]?

    private struct Frame {
        let isObject: Bool
        let path: String
        var key = ""
    }

    private enum State {
        /// Between values, or before a key.
        case before
        case key
        /// In a value to keep: an element, or a small value of an object.
        case value(isElement: Bool)
    }

    /// Creates a scanner of the arrays at the given paths, such as `chats.list.messages`.
    init(lists: [String]) { self.lists = lists }

    mutating func read(_ bytes: ArraySlice<UInt8>) throws {
        for byte in bytes {
            if whole != nil { whole?.append(byte) }
            try read(byte)
            if byte == 0x0A { line += 1 }
        }
    }

    /// Ends the input, and throws an error if a value is incomplete.
    mutating func finish() throws {
        if case .value(let isElement) = state, depth == 0, !isInString { try endValue(isElement) }
        guard frames.isEmpty, case .before = state else {
            throw CommandError.failed("the JSON value in line \(firstLine) is not complete")
        }
    }

    private mutating func read(_ byte: UInt8) throws {
        switch state {
        case .key:
            if isEnd(ofString: byte) {
                frames[frames.count - 1].key =
                    (try? JSONDecoder().decode(String.self, from: Data([0x22] + value + [0x22])))
                    ?? String(decoding: value, as: UTF8.self)
                state = .before
            } else if value.count < Self.keySize {
                value.append(byte)
            }
        case .value(let isElement):
            if isInString {
                if isEnd(ofString: byte) { isInString = false }
            } else if depth == 0, [0x2C, 0x5D, 0x7D].contains(byte) || byte <= 0x20 {
                try endValue(isElement)
                return try read(byte)
            } else {
                switch byte {
                case 0x22: isInString = true
                case 0x7B, 0x5B: depth += 1
                case 0x7D, 0x5D: depth -= 1
                default: break
                }
            }
            append(byte)
            if isElement, value.count > Self.limit {
                throw CommandError.failed(
                    "the value in line \(firstLine) has more than \(grouped(Self.limit)) bytes: "
                        + "messages=PATH names the list of messages in it")
            }
            if depth == 0, !isInString, [0x22, 0x7D, 0x5D].contains(byte) {
                try endValue(isElement)
            }
        case .before: try begin(byte)
        }
    }

    private mutating func append(_ byte: UInt8) {
        // The rest of a large context value is skipped.
        if case .value(false) = state, value.count > Self.contextSize { return }
        value.append(byte)
    }

    private mutating func isEnd(ofString byte: UInt8) -> Bool {
        if isEscaped {
            isEscaped = false
        } else if byte == 0x5C {
            isEscaped = true
        } else {
            return byte == 0x22
        }
        return false
    }

    private mutating func begin(_ byte: UInt8) throws {
        if byte <= 0x20 || byte == 0x2C || byte == 0x3A { return }
        let frame = frames.last
        let path = frame.map { $0.isObject ? join($0.path, $0.key) : $0.path } ?? ""
        switch byte {
        case 0x5D, 0x7D:
            guard let last = frames.popLast(), last.isObject == (byte == 0x7D) else {
                throw CommandError.failed("line \(line) is not JSON")
            }
            if last.isObject, last.path.isEmpty, let bytes = whole {
                (whole, context) = (nil, [:])
                found.append(
                    LogLine(
                        number: firstLine, bytes: Data(bytes), contextNumber: contextNumber))
            }
            if frames.last?.isObject == true { frames[frames.count - 1].key = "" }
        case 0x22 where frame?.isObject == true && frame?.key == "":
            value = []
            state = .key
        case 0x5B where path.isEmpty || isOnTheWay(path):
            if lists.contains(path) { whole = nil }
            frames.append(Frame(isObject: false, path: path))
        case 0x7B
        where !lists.contains(path) && (isOnTheWay(path) || path.isEmpty && !lists.isEmpty):
            if path.isEmpty { (whole, firstLine) = ([byte], line) }
            context = context.filter { !path.isEmpty && !$0.key.hasPrefix("\(path).") }
            frames.append(Frame(isObject: true, path: path))
        default:
            value = []
            if frame == nil || frame?.isObject == false { firstLine = line }
            (depth, isInString, isEscaped) = (0, false, false)
            state = .value(isElement: frame == nil || frame?.isObject == false)
            // A list in a value outside of the lists is not entered.
            try read(byte)
        }
    }

    private func isOnTheWay(_ path: String) -> Bool {
        lists.contains { $0 == path || $0.hasPrefix("\(path).") }
    }

    private func join(_ path: String, _ key: String) -> String {
        path.isEmpty ? key : "\(path).\(key)"
    }

    private mutating func endValue(_ isElement: Bool) throws {
        state = .before
        defer { value = [] }
        guard isElement else {
            guard let frame = frames.last else { return }
            let path = join(frame.path, frame.key)
            frames[frames.count - 1].key = ""
            // Each list has a context: long names would take long to hash again and again.
            let longest = path.utf8.allSatisfy { $0 < 0x80 } ? 256 : 64
            guard path.utf8.count <= longest,
                context.count < Self.contextLimit || context[path] != nil
            else { return }
            // A large value was cut off.
            let bytes = Data(value)
            context[path] =
                (try? bytes.checkMarks(isJSON: true)) == nil
                ? nil : try? JSONDecoder().decode(JSONValue.self, from: bytes)
            return
        }
        found.append(
            LogLine(
                number: firstLine, bytes: Data(value), context: context,
                contextNumber: contextNumber,
                isInList: frames.last.map { lists.contains($0.path) } ?? false))
    }
}

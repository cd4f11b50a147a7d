import Foundation
import Models

/// Removes from a reply what would keep the rest of it from being decoded: the decoder rejects
/// deeply nested texts, and needs up to thirty times the memory of a text with very small values.
///
/// Any member of a room can write such events. Their known fields stay, because an event that
/// vanished could hide a member, or that a room is encrypted.
struct ReplyCutter {
    /// The depth from which a value is replaced by a number.
    static let depth = 100
    /// The number of values of an event, without the events in it, above which it is cut.
    static let eventValues = 2_000
    /// The number of values of a part of such an event, above which it is replaced by a number.
    static let partValues = 500
    /// The number of values above which a list outside of events is replaced by a number.
    static let listValues = 20_000
    /// The depth from which that is done: the lists of rooms are above.
    private static let listDepth = 4

    private static let knownFields = EventContent.fieldNames.union(RoomEvent.fieldNames)
        .union(["room_id", "age", "transaction_id", "latest_event", "count"])

    private struct Container {
        let start: Int
        let isObject: Bool
        /// The content of an event, which contains no events.
        let isContent: Bool
        let partCount: Int
        /// Each value after the first one follows a comma or an opening bracket.
        var valueCount = 1
        var eventValueCount = 0
        var hasSender = false
        var hasType = false
        var isTooDeep = false

        var isEvent: Bool { hasSender && hasType && !isContent }
    }

    private struct Part {
        let range: Range<Int>
        let depth: Int
        let valueCount: Int
    }

    private enum Key {
        case sender, type, content, other

        init(_ text: Slice<UnsafeMutableRawBufferPointer>) {
            func equals(_ name: String) -> Bool { text.elementsEqual(name.utf8) }
            if equals("sender") {
                self = .sender
            } else if equals("type") {
                self = .type
            } else {
                self = equals("content") || equals("prev_content") ? .content : .other
            }
        }
    }

    private var open: [Container] = []
    private var parts: [Part] = []
    private var excess = 0
    private var valueCount = 1
    private var hasCut = false

    /// Returns a reply without these parts; throws if it still has more than ``WireLimit/values``.
    static func cut(_ reply: Data) throws -> Data {
        var (text, cutter) = (reply, ReplyCutter())
        text.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
            cutter.scan(bytes)
        }
        guard cutter.open.isEmpty else {
            throw DecodingError.corrupted("the reply is not complete")
        }
        guard cutter.valueCount <= WireLimit.values else {
            throw DecodingError.tooLong("the list of values in the reply")
        }
        return cutter.hasCut ? text : reply
    }

    private mutating func scan(_ bytes: UnsafeMutableRawBufferPointer) {
        var marks = JSONMarks(UnsafeRawBufferPointer(bytes), in: 0..<bytes.count)
        var lastText = 0..<0
        // The key whose value comes next.
        var key = Key.other
        while let mark = marks.next() {
            switch mark {
            case .text(let text):
                lastText = text
                if excess == 0, !open.isEmpty {
                    if key == .sender { open[open.count - 1].hasSender = true }
                    if key == .type { open[open.count - 1].hasType = true }
                }
                key = .other
            case .byte(UInt8(ascii: ":")):
                guard open.last?.isObject ?? false else { break }
                key = Key(bytes[lastText])
            case .byte(UInt8(ascii: ",")):
                key = .other
                if excess > 0 { break }
                if open.isEmpty { valueCount += 1 } else { open[open.count - 1].valueCount += 1 }
            case .byte(let byte) where byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["):
                begin(at: marks.index, isObject: byte == UInt8(ascii: "{"), key)
                key = .other
            case .byte(UInt8(ascii: "}")), .byte(UInt8(ascii: "]")): end(at: marks.index, bytes)
            case .byte: key = .other
            }
        }
    }

    private mutating func begin(at index: Int, isObject: Bool, _ key: Key) {
        guard open.count < Self.depth else {
            open[open.count - 1].isTooDeep = true
            excess += 1
            return
        }
        let isContent = key == .content || open.last?.isContent ?? false
        open.append(
            Container(
                start: index, isObject: isObject, isContent: isContent, partCount: parts.count))
    }

    private mutating func end(at index: Int, _ bytes: UnsafeMutableRawBufferPointer) {
        guard excess == 0 else {
            excess -= 1
            return
        }
        let depth = open.count
        guard let container = open.popLast() else { return }
        let range = container.start..<index + 1
        var count = container.valueCount
        var eventValueCount = container.eventValueCount
        if container.isTooDeep
            || eventValueCount == 0 && !container.isEvent && depth >= Self.listDepth
                && count > Self.listValues
        {
            replace(range, bytes)
            (count, eventValueCount) = (1, 0)
        } else if container.isEvent {
            if count > Self.eventValues { count = cutEvent(container, at: depth, in: range, bytes) }
            // A server adds at most an edit and a reply to an event.
            if eventValueCount > 2 * Self.eventValues {
                _ = removeUnknownFields(of: range, bytes)
                eventValueCount = 2 * Self.eventValues
            }
            eventValueCount += count
            parts.removeLast(parts.count - container.partCount)
            count = 1
        } else if count > Self.partValues {
            parts.append(Part(range: range, depth: depth, valueCount: count))
        }
        if open.isEmpty {
            valueCount += count + eventValueCount
            parts = []
        } else {
            open[open.count - 1].valueCount += count
            open[open.count - 1].eventValueCount += eventValueCount
        }
    }

    private mutating func cutEvent(
        _ event: Container, at depth: Int, in range: Range<Int>,
        _ bytes: UnsafeMutableRawBufferPointer
    ) -> Int {
        var count = event.valueCount
        // An outer part follows the parts that it contains.
        var start = Int.max
        for part in parts[event.partCount...].reversed()
        where part.depth > depth + 1 && part.range.upperBound <= start {
            replace(part.range, bytes)
            count -= part.valueCount - 1
            start = part.range.lowerBound
        }
        guard count > Self.eventValues else { return count }
        for part in parts[event.partCount...] where part.depth == depth + 1 {
            if bytes[part.range.lowerBound] == UInt8(ascii: "[") {
                replace(part.range, bytes)
                count -= part.valueCount - 1
            } else {
                count -= removeUnknownFields(of: part.range, bytes)
            }
        }
        return count > Self.eventValues ? count - removeUnknownFields(of: range, bytes) : count
    }

    /// Removes the fields of an event, or of a part of it, that no event has, and returns their
    /// number.
    private mutating func removeUnknownFields(
        of object: Range<Int>, _ bytes: UnsafeMutableRawBufferPointer
    ) -> Int {
        var depth = 0
        var (fieldStart, isKnown, hasKey) = (object.lowerBound + 1, false, false)
        // The position of the comma before the field, or of the opening bracket.
        var (lastComma, removed) = (object.lowerBound, 0)
        func fill(_ range: Range<Int>) {
            for index in range { bytes[index] = UInt8(ascii: " ") }
        }
        func endField(at index: Int, isLast: Bool) {
            defer { (fieldStart, isKnown, hasKey) = (index + 1, false, false) }
            guard hasKey, !isKnown else {
                lastComma = index
                return
            }
            removed += 1
            fill(fieldStart..<index)
            if !isLast {
                fill(index..<index + 1)
            } else if lastComma > object.lowerBound {
                fill(lastComma..<lastComma + 1)
            }
        }
        var marks = JSONMarks(UnsafeRawBufferPointer(bytes), in: object)
        while let mark = marks.next() {
            switch mark {
            case .text(let text):
                guard depth == 1, !hasKey else { break }
                hasKey = true
                isKnown = Self.knownFields.contains(String(decoding: bytes[text], as: UTF8.self))
            case .byte(UInt8(ascii: "{")), .byte(UInt8(ascii: "[")): depth += 1
            case .byte(UInt8(ascii: "}")), .byte(UInt8(ascii: "]")):
                depth -= 1
                if depth == 0 { endField(at: marks.index, isLast: true) }
            case .byte(UInt8(ascii: ",")) where depth == 1:
                endField(at: marks.index, isLast: false)
            case .byte: break
            }
        }
        if removed > 0 { hasCut = true }
        return removed
    }

    private mutating func replace(_ range: Range<Int>, _ bytes: UnsafeMutableRawBufferPointer) {
        for index in range { bytes[index] = UInt8(ascii: " ") }
        bytes[range.lowerBound] = UInt8(ascii: "0")
        hasCut = true
    }
}

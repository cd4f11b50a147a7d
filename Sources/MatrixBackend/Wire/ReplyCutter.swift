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
    /// The numbers of values of an event, without the events in it, above which it is cut, and of a
    /// list outside of events or of receipts, above which it is replaced by a number.
    ///
    /// The next numbers are used if a room or the whole reply still has too many values.
    static let levels = [
        (event: 2_000, list: 20_000, receipts: Int.max),
        (event: 2_000, list: 20_000, receipts: 1_000),
        (event: 100, list: 1_000, receipts: 1_000),
        (event: 0, list: 100, receipts: 100),
    ]
    /// The numbers of values of a room above which it is cut further, so that the others are not.
    ///
    /// The next number is used if the whole reply still has too many values, before the next level.
    static let roomValues = [200_000, 50_000, 10_000]
    /// The number of values of all invitations above which the others are replaced.
    static let invitationValues = 200_000
    /// The depth in the list of receipts from which a value is replaced; receipts are less deep.
    private static let receiptDepth = 8
    /// The depth of rooms, from which lists are replaced.
    private static let roomDepth = 4

    private static let knownFields = EventContent.fieldNames.union(RoomEvent.fieldNames)
        .union(["room_id", "age", "transaction_id", "latest_event", "count"])

    private struct Container {
        let start: Int
        let isObject: Bool
        /// The content of an event, which contains no events.
        let isContent: Bool
        /// The state of a room to which the user does not belong, which may have any length.
        let isInvitation: Bool
        /// The depth in the list of receipts and typing users; 0 outside of it.
        let ephemeralDepth: Int
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
        case sender, type, content, invitation, ephemeral, other

        init(_ text: Slice<UnsafeMutableRawBufferPointer>) {
            func equals(_ name: String) -> Bool { text.elementsEqual(name.utf8) }
            if equals("sender") {
                self = .sender
            } else if equals("type") {
                self = .type
            } else if equals("content") || equals("prev_content") {
                self = .content
            } else if equals("invite_state") || equals("knock_state") {
                self = .invitation
            } else {
                self = equals("ephemeral") ? .ephemeral : .other
            }
        }
    }

    private let level: Int
    private let roomValues: Int
    /// The depth of the scanned part of the reply.
    private let partDepth: Int
    private var open: [Container] = []
    private var parts: [Part] = []
    private var excess = 0
    private var valueCount = 1
    private var invitationValueCount = 0

    private var eventValues: Int { Self.levels[level].event }
    /// The number of values of a part of a long event, above which it is replaced by a number.
    private var partValues: Int { max(eventValues / 4, 8) }

    private init(level: Int, roomValues: Int = .max, partDepth: Int = 0) {
        (self.level, self.roomValues, self.partDepth) = (level, roomValues, partDepth)
    }

    /// Returns a reply without these parts; throws if it still has more than `limit` values.
    static func cut(_ reply: Data, to limit: Int = WireLimit.values) throws -> Data {
        var text = reply
        let smallest = roomValues[roomValues.count - 1]
        let steps =
            roomValues.map { (level: 0, roomValues: $0) }
            + levels.indices.dropFirst().map { (level: $0, roomValues: smallest) }
        for step in steps {
            var cutter = ReplyCutter(level: step.level, roomValues: step.roomValues)
            text.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
                cutter.scan(bytes, in: 0..<bytes.count)
            }
            guard cutter.open.isEmpty else {
                throw DecodingError.corrupted("the reply is not complete")
            }
            if cutter.valueCount <= limit { return text }
        }
        throw DecodingError.tooLong("the list of values in the reply")
    }

    /// Cuts a part of the reply, which may consist of fields without their object, until it has at
    /// most `limit` values, as far as possible, and returns their number; `nil` in the last level.
    private func cutFurther(
        _ range: Range<Int>, at depth: Int, to limit: Int, _ bytes: UnsafeMutableRawBufferPointer
    ) -> Int? {
        var count: Int?
        for level in level + 1..<Self.levels.count where count ?? .max > limit {
            var cutter = ReplyCutter(level: level, partDepth: depth)
            cutter.scan(bytes, in: range)
            count = cutter.valueCount
        }
        return count
    }

    private mutating func scan(_ bytes: UnsafeMutableRawBufferPointer, in range: Range<Int>) {
        var marks = JSONMarks(UnsafeRawBufferPointer(bytes), in: range)
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
                guard open.last?.isObject ?? (partDepth > 0) else { break }
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
        let depth = open.last?.ephemeralDepth ?? 0
        // Events can contain this name, too.
        let isInvitation = key == .invitation && partDepth == 0 && open.count == Self.roomDepth
        open.append(
            Container(
                start: index, isObject: isObject,
                isContent: key == .content || open.last?.isContent ?? false,
                isInvitation: isInvitation,
                ephemeralDepth: depth > 0 || key == .ephemeral ? depth + 1 : 0,
                partCount: parts.count))
    }

    private mutating func end(at index: Int, _ bytes: UnsafeMutableRawBufferPointer) {
        guard excess == 0 else {
            excess -= 1
            return
        }
        let depth = open.count + partDepth
        guard let container = open.popLast() else { return }
        let range = container.start..<index + 1
        var (count, eventValueCount) = (container.valueCount, container.eventValueCount)
        if container.isInvitation { invitationValueCount += count + eventValueCount }
        if isReplaced(container, at: depth) {
            replace(range, bytes)
            (count, eventValueCount) = (1, 0)
            parts.removeLast(parts.count - container.partCount)
        } else if container.isEvent {
            if count > eventValues { count = cutEvent(container, at: depth, in: range, bytes) }
            // A server adds at most an edit and a reply to an event, each of another sender.
            if eventValueCount > 2 * eventValues {
                let fields = range.lowerBound + 1..<index
                let left = cutFurther(fields, at: depth, to: count + 2 * eventValues, bytes)
                if let left { eventValueCount = left - count }
            }
            if count > eventValues || eventValueCount > 2 * eventValues {
                (count, eventValueCount) = (removeInnerValues(of: range, bytes), 0)
            }
            eventValueCount += count
            parts.removeLast(parts.count - container.partCount)
            count = 1
        } else if partDepth == 0, depth == Self.roomDepth, !container.isContent,
            count + eventValueCount > roomValues
        {
            let left = cutFurther(range, at: depth - 1, to: roomValues, bytes)
            if let left { (count, eventValueCount) = (1, left) }
            parts.removeLast(parts.count - container.partCount)
        } else if count > partValues {
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

    private func isReplaced(_ container: Container, at depth: Int) -> Bool {
        if container.isTooDeep { return true }
        let limits = Self.levels[level]
        if container.isInvitation {
            let count = container.valueCount + container.eventValueCount
            return count > limits.list || invitationValueCount > Self.invitationValues
        }
        if container.ephemeralDepth >= Self.receiptDepth { return true }
        let isList = container.eventValueCount == 0 && !container.isEvent && !container.isContent
        let limit = container.ephemeralDepth > 0 ? limits.receipts : limits.list
        return isList && depth >= Self.roomDepth && container.valueCount > limit
    }

    private mutating func cutEvent(
        _ event: Container, at depth: Int, in range: Range<Int>,
        _ bytes: UnsafeMutableRawBufferPointer
    ) -> Int {
        var count = event.valueCount
        var fields: [(part: Part, removed: Int)] = []
        // The values that were removed from parts, which follow the parts that they contain.
        var removals: [(start: Int, count: Int)] = []
        for part in parts[event.partCount...] {
            var removed = 0
            while let last = removals.last, last.start > part.range.lowerBound {
                removed += last.count
                removals.removeLast()
            }
            if part.depth == depth + 1 {
                fields.append((part, removed))
            } else if count > eventValues, part.valueCount - removed > partValues {
                replace(part.range, bytes)
                count -= part.valueCount - removed - 1
                removed = part.valueCount - 1
            }
            removals.append((part.range.lowerBound, removed))
        }
        for (part, removed) in fields where count > eventValues {
            if bytes[part.range.lowerBound] == UInt8(ascii: "[") {
                replace(part.range, bytes)
                count -= part.valueCount - removed - 1
            } else {
                count -= removeUnknownFields(of: part.range, bytes)
            }
        }
        return count > eventValues ? count - removeUnknownFields(of: range, bytes) : count
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
                // Hashing a long name with many marks takes quadratic time.
                isKnown =
                    text.count <= 64
                    && Self.knownFields.contains(String(decoding: bytes[text], as: UTF8.self))
            case .byte(UInt8(ascii: "{")), .byte(UInt8(ascii: "[")): depth += 1
            case .byte(UInt8(ascii: "}")), .byte(UInt8(ascii: "]")):
                depth -= 1
                if depth == 0 { endField(at: marks.index, isLast: true) }
            case .byte(UInt8(ascii: ",")) where depth == 1:
                endField(at: marks.index, isLast: false)
            case .byte: break
            }
        }
        return removed
    }

    /// Replaces the lists and objects in the fields of an event's content and of its other parts by
    /// numbers, so that only texts and numbers are left, and returns the number of values.
    private mutating func removeInnerValues(
        of event: Range<Int>, _ bytes: UnsafeMutableRawBufferPointer
    ) -> Int {
        var (depth, start, count) = (0, event.lowerBound, 0)
        var marks = JSONMarks(UnsafeRawBufferPointer(bytes), in: event)
        while let mark = marks.next() {
            switch mark {
            case .byte(UInt8(ascii: "{")), .byte(UInt8(ascii: "[")):
                depth += 1
                if depth == 3 { start = marks.index }
                if depth <= 2 { count += 1 }
            case .byte(UInt8(ascii: "}")), .byte(UInt8(ascii: "]")):
                if depth == 3 { replace(start..<marks.index + 1, bytes) }
                depth -= 1
            case .byte(UInt8(ascii: ",")) where depth <= 2: count += 1
            default: break
            }
        }
        return count
    }

    private mutating func replace(_ range: Range<Int>, _ bytes: UnsafeMutableRawBufferPointer) {
        for index in range { bytes[index] = UInt8(ascii: " ") }
        bytes[range.lowerBound] = UInt8(ascii: "0")
    }
}

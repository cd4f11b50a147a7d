/// The fields of a record type, in the form that the validator uses.
///
/// It is never freed: reference counting took an eighth of the time of decoding a record.
struct Layout: Sendable {
    enum Check: UInt8 {
        case unknown, bool, integer, double, text, bytes, record, packed, mapEntry
    }

    struct Slot {
        var check = Check.unknown
        var label = FieldKind.Label.repeated
        /// The default value; −1 if there is none.
        private var standard: Int16 = -1

        init() {}

        init(_ kind: FieldKind) {
            check = kind.check
            label = kind.label
            standard = kind.standard ?? -1
        }

        @inline(__always)
        func omits(_ value: UInt64) -> Bool {
            value == UInt64(bitPattern: Int64(standard)) && standard >= 0
        }

        var mayRepeat: Bool { label == .repeated || label == .map }
    }

    private enum Nested {
        case nothing
        case layout(Layout)
        /// Recursive layouts refer to each other: they are created at each use.
        case recursive(@Sendable () -> Layout)
    }

    /// `true` if records of this layout can contain each other; the validator limits their depth.
    let isRecursive: Bool
    private let count: Int
    // nonisolated(unsafe): the memory is neither written after init nor freed.
    nonisolated(unsafe) private let slots: UnsafePointer<Slot>
    nonisolated(unsafe) private let nested: UnsafePointer<Nested>

    init(_ fields: [(number: Int, kind: FieldKind)], isRecursive: Bool = false) {
        count = (fields.map(\.number).max() ?? 0) + 1
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: count)
        let nested = UnsafeMutablePointer<Nested>.allocate(capacity: count)
        slots.initialize(repeating: Slot(), count: count)
        nested.initialize(repeating: .nothing, count: count)
        for (number, kind) in fields {
            precondition(slots[number].check == .unknown, "Two fields have the number \(number).")
            slots[number] = Slot(kind)
            guard let layout = kind.nestedLayout else { continue }
            nested[number] = isRecursive ? .recursive(layout) : .layout(layout())
        }
        self.isRecursive = isRecursive
        self.slots = UnsafePointer(slots)
        self.nested = UnsafePointer(nested)
    }

    func layout(in number: Int) -> Layout {
        precondition(number >= 0 && number < count)
        switch nested[number] {
        case .layout(let layout): return layout
        case .recursive(let layout): return layout()
        case .nothing: preconditionFailure("Field \(number) holds no record.")
        }
    }

    /// Returns the slot of a field; `Slot()` for an unknown number.
    @inline(__always)
    func slot(_ number: Int) -> Slot {
        number >= 0 && number < count ? slots[number] : Slot()
    }
}

extension FieldKind {
    fileprivate var check: Layout.Check {
        if label == .map { return .mapEntry }
        switch element {
        case .bool where label == .repeated, .double where label == .repeated:
            preconditionFailure("Truth values and fractions cannot be repeated.")
        case .bool: return .bool
        case .integer, .enumeration: return label == .repeated ? .packed : .integer
        case .double: return .double
        case .text: return .text
        case .bytes: return .bytes
        case .record: return .record
        }
    }

    fileprivate var nestedLayout: (@Sendable () -> Layout)? {
        if label == .map {
            var value = FieldKind(element)
            if case .record = element { value = FieldKind(element, .optional) }
            let entry = Layout([(1, FieldKind(.text)), (2, value)])
            return { entry }
        }
        guard case .record(_, let layout) = element else { return nil }
        return layout
    }
}

/// The payload type and the cardinality of a field.
public struct FieldKind: Sendable {
    enum Element: Sendable {
        case bool
        case integer
        case double
        case text
        case bytes
        case enumeration(any WireEnum.Type)
        /// The layout is a closure, because a record may contain records of its own type.
        case record(name: String, layout: @Sendable () -> Layout)
    }

    enum Label: UInt8, Sendable {
        /// The field occurs at most once; if it is missing, it has the default value of its type.
        case implicit
        /// The field occurs at most once, and a zero differs from a missing value.
        case optional
        /// The field occurs any number of times, with integers packed into one payload.
        case repeated
        /// Entries with a text key (field 1) and a value (field 2), ordered by their unique keys.
        case map
    }

    let element: Element
    let label: Label
    /// The integer or Boolean of a missing field, which is never written, if any.
    let standard: Int16?

    init(_ element: Element, _ label: Label = .implicit) {
        self.element = element
        self.label = label
        standard = label == .implicit ? 0 : nil
    }

    init(_ element: Element, standard: Int16) {
        // The validator compares the value with a single byte of the wire format.
        precondition((0...127).contains(standard))
        self.element = element
        label = .optional
        self.standard = standard
    }
}

/// The type of a field: its payload type and its cardinality.
///
/// A field kind is separate from the field's Swift type, because bytes are validated before a Swift
/// value exists, and because tests compare field kinds with Docs/scrollback.proto.
public struct FieldKind: Sendable {
    /// The type of one payload.
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

    /// The cardinality of a field, and the value that stands for a missing field.
    enum Label: UInt8, Sendable {
        /// At most once. The type's default value is never written: a missing field stands for it.
        case implicit
        /// At most once. A zero differs from a missing value.
        case optional
        /// Any number of times, in order. Integers are packed into one payload.
        case repeated
        /// Entries of a text key (field 1) and a value (field 2), ordered by key, with unique keys.
        case map
    }

    let element: Element
    let label: Label
    /// The integer or Boolean that a missing field stands for and that is never written; `nil` if
    /// every value is written.
    let standard: Int16?

    init(_ element: Element, _ label: Label = .implicit) {
        self.element = element
        self.label = label
        standard = label == .implicit ? 0 : nil
    }

    /// Creates the type of a field that is omitted if its value is `standard`.
    init(_ element: Element, standard: Int16) {
        // The validator compares the value with a single byte of the wire format.
        precondition((0...127).contains(standard))
        self.element = element
        label = .optional
        self.standard = standard
    }
}

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
        /// A nested record.
        ///
        /// Its layout is a closure, because a record may contain records of its own type.
        case record(name: String, layout: @Sendable () -> Layout)
    }

    /// The cardinality of a field, and the value that stands for a missing field.
    enum Label: UInt8, Sendable {
        /// The field occurs at most once.
        ///
        /// The default value of its type is never written: a missing field stands for it.
        case implicit
        /// The field occurs at most once.
        ///
        /// A zero is written, and differs from a missing value.
        case optional
        /// The field occurs any number of times, in order.
        ///
        /// Integers are packed into one payload.
        case repeated
        /// The field is a map: entries with a text key (field 1) and a value (field 2), ordered by
        /// their keys, which are unique.
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

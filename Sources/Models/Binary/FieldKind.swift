/// The type of a field: what its payload may be, and how often it may stand in a record.
///
/// A value of its own, beside the Swift type, because bytes are checked before any Swift value is
/// made of them, and because Docs/scrollback.proto is compared with it.
public struct FieldKind: Sendable {
    /// What one payload is.
    enum Element: Sendable {
        case bool
        case integer
        case double
        case text
        case bytes
        case enumeration(any WireEnum.Type)
        /// A thunk, since a record may hold records of its own type.
        case record(name: String, layout: @Sendable () -> Layout)
    }

    /// How often, and what stands for "not there".
    enum Label: UInt8, Sendable {
        /// At most once; the zero of its type is never written.
        case implicit
        /// At most once; a zero is not the same as nothing.
        case optional
        /// Any number of times, in order. Integers are packed into one payload.
        case repeated
        /// Entries of a text key (field 1) and a value (field 2), ordered by key, each key once.
        case map
    }

    let element: Element
    let label: Label
    /// The integer or truth value that is never written, since it is what a record without the
    /// field says; `nil` where every value is written.
    let standard: Int16?

    init(_ element: Element, _ label: Label = .implicit) {
        self.element = element
        self.label = label
        standard = label == .implicit ? 0 : nil
    }

    /// Creates the type of a field that is not written where it is `standard`.
    init(_ element: Element, standard: Int16) {
        // One byte on the wire: the validator looks at no more.
        precondition((0...127).contains(standard))
        self.element = element
        label = .optional
        self.standard = standard
    }
}

/// An enumeration to which servers and later versions may add values.
///
/// An unknown number is preserved; an unknown name in JSON becomes the number -1. A `switch` over
/// such a value needs a `default`.
public protocol OpenEnumeration: RawRepresentable<Int>, Hashable, Sendable,
    CustomStringConvertible
{
    /// Creates a value from its number, even if the number is unknown.
    init(rawValue: Int)
}

extension OpenEnumeration {
    /// The name of the constant; the number of an unknown value.
    public var description: String {
        (Self.self as? any OpenWireEnum.Type)?.identifier(of: rawValue) ?? "\(rawValue)"
    }
}

/// An enumeration whose values a server or a later version may extend.
///
/// Known values are constants of the type. A number that this version does not know is kept, in
/// memory, in the binary form and in JSON; an unknown name in JSON is read as the number -1. A
/// `switch` over a value needs a default.
public protocol OpenEnumeration: RawRepresentable<Int>, Hashable, Sendable,
    CustomStringConvertible
{
    /// Creates a value from its number, which may be unknown.
    init(rawValue: Int)
}

extension OpenEnumeration {
    /// The name of the constant; the number of an unknown value.
    public var description: String {
        (Self.self as? any OpenWireEnum.Type)?.identifier(of: rawValue) ?? "\(rawValue)"
    }
}

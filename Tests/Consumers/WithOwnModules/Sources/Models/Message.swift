/// A message of the app, in the app's own module `Models`.
public struct Message {
    /// The text.
    public var text: String

    /// Creates a message.
    public init(text: String) { self.text = text }
}

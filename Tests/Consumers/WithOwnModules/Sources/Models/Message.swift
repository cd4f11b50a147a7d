/// The app's own message, in the app's own module `Models`.
public struct Message {
    public var text: String
    public init(text: String) { self.text = text }
}

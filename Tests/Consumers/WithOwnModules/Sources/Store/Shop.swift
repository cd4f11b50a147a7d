/// A type of the app's own module `Store`, which is about buying things.
public enum Shop {
    /// The currency of all prices.
    public static let currency = "EUR"
}

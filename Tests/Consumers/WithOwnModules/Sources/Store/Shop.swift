/// The app's own module `Store`: where its users buy things.
public enum Shop {
    /// The currency of all prices.
    public static let currency = "EUR"
}

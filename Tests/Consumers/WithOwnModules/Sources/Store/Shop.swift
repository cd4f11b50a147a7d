/// The app's own module `Store`: where its users buy things.
public enum Shop {
    public static let currency = "EUR"
}

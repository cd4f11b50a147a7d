/// Whether this device is connected to the server.
///
/// The raw values are those of the field's older interfaces; 2, closing, is closed.
public enum ConnectionState: Int, CaseIterable, Sendable {
    /// A connection is being made.
    case connecting = 0
    /// Connected.
    case open = 1
    /// Not connected.
    case closed = 3
}

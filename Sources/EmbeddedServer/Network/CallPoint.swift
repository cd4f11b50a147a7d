/// A point of a call at which a condition takes effect.
public enum CallPoint: Hashable, Sendable, CaseIterable {
    /// Before the server executes the request. A call that fails here has no effect.
    case beforeEffect
    /// After the server has executed the request. A condition here affects only the response.
    case afterEffect
}

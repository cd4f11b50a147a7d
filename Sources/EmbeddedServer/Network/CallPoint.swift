/// A point of a call at which a condition takes effect.
public enum CallPoint: Hashable, Sendable, CaseIterable {
    /// Before the server executes the request.
    ///
    /// A call that fails at this point has no effect.
    case beforeEffect
    /// After the server has executed the request.
    ///
    /// A condition at this point affects only the response.
    case afterEffect
}

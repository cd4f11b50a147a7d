public import Models

/// The point of a call at which a condition takes effect.
public enum CallPoint: Hashable, Sendable, CaseIterable {
    /// Before the server executes the request: the call has no effect.
    case beforeEffect
    /// After the server has executed the request: the response is affected.
    case afterEffect
}

extension BackendError {
    /// Returns a Boolean value that indicates whether a correct backend may fail with this error at
    /// a point of any call.
    ///
    /// After the effect, a call can only be unanswered: all other codes imply that it had no
    /// effect. Before the effect, `notFound`, `expired`, `unsupported` and `canceled` would have to
    /// be true.
    public func isWithinContract(at point: CallPoint) -> Bool {
        switch point {
        case .afterEffect: code == .unanswered
        case .beforeEffect: ![.notFound, .expired, .unsupported, .canceled].contains(code)
        }
    }
}

public import Models

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

extension BackendError {
    /// Returns a Boolean value that indicates whether a correct backend may fail any call with this
    /// error at a point.
    ///
    /// After the effect, only `unanswered` is correct: all other codes state that the call had no
    /// effect. Before the effect, `notFound`, `expired`, `unsupported` and `canceled` are not
    /// correct, because they state facts about the request that are not true for an arbitrary call.
    public func isWithinContract(at point: CallPoint) -> Bool {
        switch point {
        case .afterEffect: code == .unanswered
        case .beforeEffect: ![.notFound, .expired, .unsupported, .canceled].contains(code)
        }
    }
}

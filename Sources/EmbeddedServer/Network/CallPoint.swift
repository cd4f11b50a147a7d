public import Models

/// Where on the way of a call something happens to it.
public enum CallPoint: Hashable, Sendable, CaseIterable {
    /// The request is on its way: the server has done nothing.
    case beforeEffect
    /// The answer is on its way: the server has done what was asked.
    case afterEffect
}

extension BackendError {
    /// Whether a backend that keeps its promises may fail in this way, whatever it is asked.
    ///
    /// After its effect a call can only stay unanswered, since all other codes say that nothing was
    /// done. Before it, `notFound`, `expired`, `unsupported` and `canceled` would have to be true.
    public func isWithinContract(at point: CallPoint) -> Bool {
        switch point {
        case .afterEffect: code == .unanswered
        case .beforeEffect: ![.notFound, .expired, .unsupported, .canceled].contains(code)
        }
    }
}

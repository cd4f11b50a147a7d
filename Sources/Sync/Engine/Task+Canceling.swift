import Dispatch

extension Task {
    /// Cancels the task on another thread, without waiting until its cancellation handlers have
    /// returned.
    ///
    /// `cancel()` calls the handlers on the calling thread. A handler of a backend, an HTTP client or
    /// the app may block, and if an actor called it, the actor would never run again. The handlers
    /// therefore do not run on a thread of the cooperative pool, either.
    package func cancelWithoutWaiting() { canceling.async { cancel() } }
}

/// Concurrent, so that a handler that blocks does not delay other cancellations.
private let canceling = DispatchQueue(label: "scrollback.cancel", attributes: .concurrent)

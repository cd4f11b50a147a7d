import Dispatch

extension Task {
    /// Cancels the task on another thread, without waiting until its cancellation handlers have
    /// returned.
    ///
    /// `cancel()` calls the handlers on the calling thread. A handler of a backend, an HTTP client
    /// or the app may block, and if an actor called it, the actor would never run again.
    package func cancelWithoutWaiting() {
        // Each cancellation has a serial queue. On Linux, a concurrent queue uses the threads of
        // the cooperative pool, one for each core; a serial queue gets another thread if these are
        // busy.
        DispatchQueue(label: "scrollback.cancel").async { cancel() }
    }
}

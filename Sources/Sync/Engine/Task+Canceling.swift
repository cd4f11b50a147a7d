import Dispatch

extension Task {
    /// Cancels the task on another thread, because its cancellation handlers may block: `cancel()`
    /// would call them on the calling thread, and a blocked actor would never run again.
    package func cancelWithoutWaiting() {
        // Each cancellation has a serial queue. On Linux, a concurrent queue uses the threads of
        // the cooperative pool, one for each core; a serial queue gets another thread if these are
        // busy.
        DispatchQueue(label: "scrollback.cancel").async { cancel() }
    }
}

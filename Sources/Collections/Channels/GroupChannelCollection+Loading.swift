import Models
import Store
import Sync

// How the list grows: first from the store, then from the server.
extension GroupChannelCollection {
    /// The maximum number of pages that one call fetches, if the pages contain few new channels.
    private static let pageLimit = 5

    /// The maximum number of channels that one read on the main actor visits.
    private static let visitLimit = 1_000

    /// Lists at least `count` channels, or all channels if there are fewer, and returns the newly
    /// listed ones.
    ///
    /// If `refreshes` is true and the engine is not live, the call requests the first page even if
    /// the cache has it.
    @discardableResult
    func load(
        upTo count: Int, refreshes: Bool = false
    ) async throws(SyncError) -> [GroupChannel] {
        try checkIsNotDisposed()
        guard !isLoading else {
            throw SyncError(.queryInProgress, "loadMore() is already in progress: wait for it")
        }
        isLoading = true
        defer { (isLoading, unreported) = (false, []) }
        func found() -> [GroupChannel] { channels.filter { unreported.contains($0.url) } }

        if refreshes, !(await engine.stateAfterConnecting.isLive) {
            try await fetch()
            try checkIsNotDisposed()
        }
        var isComplete = try await showPage(upTo: count, .page)
        for page in 0..<GroupChannelCollection.pageLimit {
            if isComplete || (page > 0 && channels.count >= count) { break }
            do throws(SyncError) {
                try await fetch()
            } catch {
                try checkIsNotDisposed()
                if found().isEmpty { throw error }
                break
            }
            try checkIsNotDisposed()
            isComplete = try await showPage(upTo: count, .page)
        }
        return found()
    }

    /// Lists at least `count` channels, or all stored channels if there are fewer.
    ///
    /// - Returns: `true` if the store has every channel of the server's list.
    private func showPage(
        upTo count: Int, _ reporting: Reporting
    ) async throws(SyncError) -> Bool {
        try await showRest(after: try show(upTo: count, reporting), upTo: count, reporting)
        return window.isComplete
    }

    /// Lists the rest of a page, of which one call of ``show(upTo:_:)`` has listed a part.
    func showRest(
        after shown: ShownPart, upTo count: Int, _ reporting: Reporting
    ) async throws(SyncError) {
        var shown = shown
        while shown != .whole {
            if shown == .unsorted {
                try await onDisk { [store = engine.store, query] () throws(StoreError) in
                    try store.sortChannels(for: query)
                }
            } else {
                await Task.yield()
            }
            try checkIsNotDisposed()
            shown = try show(upTo: count, reporting)
        }
    }

    enum ShownPart {
        case whole
        /// The read has visited ``visitLimit`` channels, and has to go on.
        case limited
        /// The channels have to be sorted first.
        case unsorted
    }

    /// Lists at least `count` channels, or all stored channels if there are fewer, or those that
    /// ``visitLimit`` visits find.
    func show(
        upTo count: Int, _ reporting: Reporting
    ) throws(SyncError) -> ShownPart {
        let follower = try follow()
        var visits = ChannelVisits(Self.visitLimit)
        let edits = try follower.read { (reader) throws(StoreError) in
            try window.load(
                upTo: count, isComplete: try self.isListComplete(in: reader), in: reader,
                visiting: &visits)
        }
        try checkIsNotDisposed()
        apply(edits, reporting)
        follower.catchUp()
        try checkIsNotDisposed()
        awaitCompleteList()
        if visits.needsSorting { return .unsorted }
        return visits.stop == nil ? .whole : .limited
    }

    private func isListComplete(in reader: Snapshot) throws(StoreError) -> Bool {
        if case .ended = serverPages { return true }
        return try reader.hasAllChannels()
    }

    private func fetch() async throws(SyncError) {
        guard case .next(let cursor) = serverPages else { return }
        let generation = pagingGeneration
        do throws(SyncError) {
            let page = try await tasks.run { [engine, query] () throws(SyncError) in
                _ = await engine.stateAfterConnecting
                return try await engine.fetchChannels(matching: query, after: cursor)
            }
            // If the cache was cleared during the request, the collection has started again with
            // the first page, and this page is out of date.
            guard generation == pagingGeneration else { return }
            serverPages = page.next == nil ? .ended : .next(page.next)
        } catch {
            if cursor != nil, error.code.isServerError { restart() }
            throw error
        }
    }

    func restart() {
        serverPages = .next(nil)
        pagingGeneration += 1
    }

    /// Waits until the engine has fetched the user's whole list, and then records that the list is
    /// whole.
    ///
    /// Until then, the server may have channels that are not stored.
    func awaitCompleteList() {
        guard !isDisposed, !window.isComplete, !isAwaitingCompleteList else { return }
        isAwaitingCompleteList = true
        tasks.add(
            Task { @MainActor [weak self, engine] in
                for await _ in await engine.events(where: \.isLive) {
                    guard let self, !recordCompleteList() else { break }
                }
                self?.isAwaitingCompleteList = false
            })
    }

    /// Records whether the store has the whole list.
    ///
    /// - Returns: `true` if no more waiting is needed: the store has the whole list, or the
    ///   collection was disposed.
    private func recordCompleteList() -> Bool {
        if isDisposed || window.isComplete { return true }
        // Ignore the error: a closed store reports no changes, and the engine reports an unreadable
        // one.
        let holdsAll = try? follow().read { (reader) throws(StoreError) in
            let holdsAll = try self.isListComplete(in: reader)
            if holdsAll { window.recordIsComplete() }
            return holdsAll
        }
        // Remove the rows of channels that the user has lost.
        if holdsAll == true, window.isReplaced, let edits = try? readAgain() {
            apply(edits, .reported)
        }
        notifyObservers()
        return holdsAll ?? false
    }
}

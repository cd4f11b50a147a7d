import Models
import Store
import Sync

extension GroupChannelCollection {
    private static let pageLimit = 5

    private static let visitLimit = 1_000

    /// Lists at least `count` channels, or all channels if there are fewer, and returns the newly
    /// listed ones.
    ///
    /// If `refreshes` is true and the engine is not live, the first page is requested even if the
    /// cache has it.
    @discardableResult
    func load(
        upTo count: Int, refreshes: Bool = false
    ) async throws(SyncError) -> [GroupChannel] {
        try checkIsNotDisposed()
        guard !isLoading else {
            throw SyncError(
                .queryInProgress, "start() or loadMore() is already in progress: wait for it")
        }
        isLoading = true
        defer { (isLoading, unreported) = (false, []) }
        func found() -> [GroupChannel] { channels.filter { unreported.contains($0.url) } }

        if refreshes, !(await engine.stateAfterConnecting.isLive) {
            try await fetch()
            try checkIsNotDisposed()
        }
        var isComplete = try await showPage(upTo: count)
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
            isComplete = try await showPage(upTo: count)
        }
        return found()
    }

    /// Lists at least `count` channels, or all stored ones, and returns `true` if the store has
    /// every channel of the server's list.
    private func showPage(upTo count: Int) async throws(SyncError) -> Bool {
        try await showRest(after: try show(upTo: count, .page), upTo: count, .page)
        return window.isComplete
    }

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
        /// The read has visited ``visitLimit`` channels, and has to be continued.
        case limited
        case unsorted
    }

    /// Lists at least `count` channels, or all stored ones, or those found by ``visitLimit``
    /// visits.
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
        follower.processQueued()
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
            // If the cache was cleared during the request, paging has started again.
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

    /// Records that the list is whole, once the engine has fetched it.
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

    /// Records whether the store has the whole list, and returns `true` if no more waiting is
    /// needed.
    private func recordCompleteList() -> Bool {
        if isDisposed || window.isComplete { return true }
        // Ignore the error: the engine reports it.
        let holdsAll = try? follow().read { (reader) throws(StoreError) in
            let holdsAll = try self.isListComplete(in: reader)
            if holdsAll { window.isComplete = true }
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

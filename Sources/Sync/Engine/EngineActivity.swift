package import Models

/// An action of the engine, for observers such as the inspector.
package enum EngineActivity: Sendable {
    /// The engine has called the backend.
    case began(EngineCall, at: Timestamp)
    /// The backend has answered a call.
    case ended(call: Int, CallResult, at: Timestamp)
    /// The engine has canceled a call.
    case canceled(call: Int, at: Timestamp)
    /// The engine waits before its next attempt.
    case waiting(Wait, beforeAttempt: Int, for: Duration, at: Timestamp)
    /// The last attempt has failed.
    case gaveUp(Wait, at: Timestamp)

    /// The purpose of a wait.
    package enum Wait: Sendable {
        case connection
        case feed
        case backfill(ChannelURL)
        case outbox(ChannelURL)
        case store
    }

    /// The result of a call.
    package enum CallResult: Sendable {
        /// The number of records or events in the answer, the size of the records in bytes, and the
        /// channels for which the feed has reported a truncation.
        case success(count: Int, byteCount: Int, truncated: [ChannelURL] = [])
        case failure(BackendError)
    }
}

/// A description of a backend call.
package struct EngineCall: Sendable {
    /// The number of the call, which is higher for later calls.
    package let number: Int
    /// The name of the backend's method.
    package let name: String
    package let channelURL: ChannelURL?
    /// A summary of the arguments.
    package let detail: String
}

extension SyncEngine {
    /// Returns a stream of the engine's actions from now on, beginning with the calls in flight.
    ///
    /// The stream buffers up to 1,000 actions, and drops the oldest ones if its reader is too slow.
    /// The engine records actions only while there are observers.
    package func activity() -> AsyncStream<EngineActivity> {
        let (stream, continuation) = AsyncStream<EngineActivity>.makeStream(
            bufferingPolicy: .bufferingNewest(1000))
        guard !isClosed else {
            continuation.finish()
            return stream
        }
        let number = activityObservers.add(continuation)
        continuation.onTermination = { [weak self] _ in
            Task { await self?.removeActivityObserver(number) }
        }
        for (number, call) in core.calls.sorted(by: { $0.key < $1.key }) {
            continuation.yield(.began(EngineCall(number, call.request), at: now()))
        }
        return stream
    }

    private func removeActivityObserver(_ number: Int) { activityObservers.remove(number) }

    /// The credentials of the connection; `nil` if the engine does not try to connect.
    package var credentials: Credentials? { core.connector.credentials }
}

struct ActivityObservers {
    private var observers: [Int: AsyncStream<EngineActivity>.Continuation] = [:]
    private var lastNumber = 0

    mutating func add(_ observer: AsyncStream<EngineActivity>.Continuation) -> Int {
        lastNumber += 1
        observers[lastNumber] = observer
        return lastNumber
    }

    mutating func remove(_ number: Int) { observers[number] = nil }

    func finish() { for observer in observers.values { observer.finish() } }

    func report(_ action: SyncCore.Action, at time: Timestamp) {
        if observers.isEmpty { return }
        switch action {
        case .call(let request, let number):
            emit(.began(EngineCall(number, request), at: time))
        case .cancel(let number): emit(.canceled(call: number, at: time))
        default: break
        }
    }

    func report(_ answer: BackendAnswer, _ number: Int, at now: () -> Timestamp) {
        if observers.isEmpty { return }
        emit(.ended(call: number, answer.result, at: now()))
    }

    /// Reports a wait or, if `duration` is `nil`, that the last attempt has failed.
    func report(
        _ wait: SyncCore.Wait, _ attempt: Int, _ duration: Duration?, at time: Timestamp
    ) {
        if observers.isEmpty { return }
        let reported: EngineActivity.Wait? =
            switch wait {
            case .connection: .connection
            case .feed: .feed
            case .backfill(let url, _): .backfill(url)
            case .outbox(let url, _): .outbox(url)
            case .store: .store
            // These waits follow no failure.
            case .poll, .typing: nil
            }
        guard let wait = reported else { return }
        guard let duration else { return emit(.gaveUp(wait, at: time)) }
        emit(.waiting(wait, beforeAttempt: attempt, for: duration, at: time))
    }

    private func emit(_ activity: EngineActivity) {
        for observer in observers.values { observer.yield(activity) }
    }
}

extension EngineCall {
    fileprivate init(_ number: Int, _ request: BackendRequest) {
        let (name, detail): (String, String) =
            switch request {
            case .connect(let credentials): ("connect", credentials.userID.rawValue)
            case .feed(let cursor): ("feed", cursor == nil ? "from the beginning" : "")
            case .messages(_, let anchor, let older, let newer):
                ("messages", "\(anchor.text), \(older) older, \(newer) newer")
            case .lookup(let ids, _): ("lookup", "\(ids.count) messages")
            case .reactions(let ids, _): ("reactions", "of \(ids.count) messages")
            case .search(_, let cursor, _):
                ("searchMessages", cursor == nil ? "first page" : "next page")
            case .messageChanges: ("messageChanges", "")
            case .channelChanges: ("channelChanges", "")
            case .channels(_, let cursor): ("channels", cursor == nil ? "first page" : "next page")
            case .channel: ("channel", "")
            case .send(let item): ("send", item.requestID.rawValue)
            case .upload(let item, let index):
                ("upload", "file \(index + 1) of \(item.requestID.rawValue)")
            case .update(let id, _, _, _, _): ("update", id.rawValue)
            case .delete(let id, _, _, _): ("delete", id.rawValue)
            case .react(_, _, let id, _, _, _): ("react", id.rawValue)
            case .replies(let id, _, let anchor, let older, let newer):
                ("replies", "to \(id.rawValue), \(anchor.text), \(older) older, \(newer) newer")
            case .createChannel: ("createChannel", "")
            case .updateChannel: ("updateChannel", "")
            case .join: ("join", "")
            }
        self.init(number: number, name: name, channelURL: request.channelURL, detail: detail)
    }
}

extension MessageAnchor {
    fileprivate var text: String {
        switch self {
        case .newest: "at the newest"
        case .time(let time): "at \(time)"
        case .message(let id): "at message \(id.rawValue)"
        case .cursor: "at a cursor"
        }
    }
}

extension BackendAnswer {
    fileprivate var result: EngineActivity.CallResult {
        func records(_ records: [any Record]) -> EngineActivity.CallResult {
            .success(
                count: records.count,
                byteCount: records.reduce(0) { $0 + $1.serializedByteCount })
        }
        switch self {
        case .failed(let error): return .failure(error)
        case .session(let session): return records([session.user])
        case .batch(let batch):
            let byteCount = batch.events.reduce(0) { $0 + ($1.message?.serializedByteCount ?? 0) }
            let truncated = batch.events.compactMap { event in
                if case .truncation(let url) = event { url } else { nil }
            }
            return .success(
                count: batch.events.count, byteCount: byteCount, truncated: truncated)
        case .page(let page): return records(page.messages)
        case .lookup(let lookup): return records(lookup.found)
        case .reactions(let reactions): return records(reactions.values.flatMap(\.self))
        case .found(let page): return records(page.elements)
        case .messageChanges(let changes): return records(changes.updated)
        case .channelChanges(let changes): return records(changes.updated)
        case .channels(let page): return records(page.elements)
        case .channel(let channel): return records([channel])
        case .message(let message): return records([message])
        case .uploaded(let file): return records([file])
        case .deleted: return .success(count: 0, byteCount: 0)
        case .reaction(let event): return records([event])
        }
    }
}

extension FeedEvent {
    fileprivate var message: Message? {
        switch self {
        case .messageReceived(let message), .messageUpdated(let message): message
        default: nil
        }
    }
}

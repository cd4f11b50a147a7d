package import Models

package enum EngineActivity: Sendable {
    case began(EngineCall, at: Timestamp)
    case ended(call: Int, CallOutcome, at: Timestamp)
    case canceled(call: Int, at: Timestamp)
    case waiting(Wait, beforeAttempt: Int, for: Duration, at: Timestamp)
    case gaveUp(Wait, at: Timestamp)

    package enum Wait: Sendable {
        case connection
        case feed
        case backfill(ChannelURL)
        case outbox(ChannelURL)
        case store

        package var channelURL: ChannelURL? {
            switch self {
            case .backfill(let url), .outbox(let url): url
            case .connection, .feed, .store: nil
            }
        }
    }

    package enum CallOutcome: Sendable {
        /// The number of records or events, the size of the records in bytes, and the channels with
        /// a truncation.
        case success(count: Int, byteCount: Int, truncated: [ChannelURL] = [])
        case failure(BackendError)
    }
}

package struct EngineCall: Sendable {
    package let number: Int
    package let name: String
    package let channelURL: ChannelURL?
    package let detail: String
}

extension SyncEngine {
    /// Returns a stream of the engine's actions from now on, beginning with the calls in flight.
    ///
    /// The stream buffers up to 1,000 actions, and then drops the oldest ones.
    package func activity() -> AsyncStream<EngineActivity> {
        let begun = core.calls.sorted { $0.key < $1.key }.map { number, call in
            EngineActivity.began(EngineCall(number, call.value), at: now())
        }
        return activityObservers.subscribe(beginningWith: begun, buffering: .bufferingNewest(1000))
    }

    /// The credentials of the connection; `nil` if the engine does not try to connect.
    package var credentials: Credentials? { core.connector.credentials }
}

extension Subscribers<EngineActivity> {
    func report(_ action: SyncCore.Action, at time: Timestamp) {
        if isEmpty { return }
        switch action {
        case .call(let call, let number):
            notify(.began(EngineCall(number, call), at: time))
        case .cancel(let number): notify(.canceled(call: number, at: time))
        default: break
        }
    }

    func report(_ answer: CallResult, _ number: Int, at now: () -> Timestamp) {
        if isEmpty { return }
        notify(.ended(call: number, answer.summary, at: now()))
    }

    /// Reports a wait or, if `duration` is `nil`, that the last attempt has failed.
    func report(
        _ wait: SyncCore.Wait, _ attempt: Int, _ duration: Duration?, at time: Timestamp
    ) {
        if isEmpty { return }
        let reported: EngineActivity.Wait? =
            switch wait {
            case .connection: .connection
            case .feed: .feed
            case .backfill(let url, _): .backfill(url)
            case .outbox(let url, _): .outbox(url)
            case .store: .store
            case .poll, .typing: nil
            }
        guard let wait = reported else { return }
        guard let duration else { return notify(.gaveUp(wait, at: time)) }
        notify(.waiting(wait, beforeAttempt: attempt, for: duration, at: time))
    }
}

extension EngineCall {
    fileprivate init(_ number: Int, _ call: some BackendCall) {
        self.init(
            number: number, name: "\(type(of: call).name)", channelURL: call.channel,
            detail: call.detail)
    }
}

extension CallResult {
    fileprivate var summary: EngineActivity.CallOutcome {
        func summary(_ records: [any Record]) -> EngineActivity.CallOutcome {
            .success(
                count: records.count,
                byteCount: records.reduce(0) { $0 + $1.serializedByteCount })
        }
        switch self {
        case .failure(let error): return .failure(error)
        case .success(let batch as FeedBatch):
            let byteCount = batch.events.reduce(0) { $0 + ($1.message?.serializedByteCount ?? 0) }
            let truncated = batch.events.compactMap { event in
                if case .truncation(let url) = event { url } else { nil }
            }
            return .success(
                count: batch.events.count, byteCount: byteCount, truncated: truncated)
        case .success(let session as BackendSession): return summary([session.user])
        case .success(let page as MessagePage): return summary(page.messages)
        case .success(let lookup as MessageLookup): return summary(lookup.found)
        case .success(let reactions as [MessageID: [Reaction]]):
            return summary(reactions.values.flatMap(\.self))
        case .success(let changes as MessageChangelog): return summary(changes.updated)
        case .success(let changes as GroupChannelChangelog): return summary(changes.updated)
        case .success(let page as any PageOfRecords): return summary(page.records)
        case .success(let record as any Record): return summary([record])
        case .success: return .success(count: 0, byteCount: 0)
        }
    }
}

private protocol PageOfRecords {
    var records: [any Record] { get }
}

extension Page: PageOfRecords where Element: Record {
    fileprivate var records: [any Record] { elements }
}

extension FeedEvent {
    fileprivate var message: Message? {
        switch self {
        case .messageReceived(let message), .messageUpdated(let message): message
        default: nil
        }
    }
}

import Models

// In builds with assertions, each step verifies that a call or a wait is pending for each caller,
// for each busy channel, and for the connection.

/// The waits that a core has requested, and the callers that it has not answered.
struct OpenRequests {
    private(set) var waits: Set<SyncCore.Wait> = []
    private(set) var tickets: Set<Int> = []

    mutating func record(_ input: SyncCore.Input) {
        switch input {
        case .connect(_, let ticket), .make(_, let ticket), .fetch(_, _, let ticket),
            .awaitCaughtUp(_, let ticket), .deliveryResult(_, _, let ticket):
            tickets.insert(ticket)
        case .abandon(let ticket): tickets.remove(ticket)
        case .waited(let wait), .gaveUp(let wait): waits.remove(wait)
        case .disconnect, .reconnect, .renew, .answer, .changed, .show, .hide: break
        }
    }

    mutating func record(_ action: SyncCore.Action) {
        switch action {
        case .wait(let wait, _, _): waits.insert(wait)
        case .cancelWait(let wait): waits.remove(wait)
        case .stopWaiting: waits = []
        case .reply(_, let ticket), .fail(_, let ticket): tickets.remove(ticket)
        default: break
        }
    }
}

extension SyncCore {
    /// The work for which no call or wait is pending after this step; `nil` if there is none.
    var stalledWork: String? {
        let generation = connector.generation
        let waits = openRequests.waits
        guard flights.inFlightCount == calls.values.count(where: { $0.flight != nil }) else {
            return "\(flights.inFlightCount) flights do not belong to the calls"
        }
        var tickets = Set(waiting.keys).union(resultTickets.values.joined())
        tickets.formUnion(calls.values.flatMap(\.tickets))
        if let connectTicket { tickets.insert(connectTicket) }
        if tickets != openRequests.tickets {
            return "callers \(openRequests.tickets.symmetricDifference(tickets).sorted())"
        }
        for url in backfill.busyChannels {
            let calls = calls.values.filter { $0.isOfBackfill && $0.value.channel == url }
            if calls.count > 1 { return "\(url) has \(calls.count) requests at once" }
            if calls.isEmpty, !waits.contains(.backfill(url, generation: generation)) {
                return "the backfill of \(url)"
            }
        }
        for url in outbox.busyChannels {
            let calls = calls.values.filter { $0.outboxItemID != nil && $0.value.channel == url }
            if calls.count > 1 { return "\(url) has \(calls.count) items in flight" }
            if calls.isEmpty, !waits.contains(.outbox(url, generation: generation)) {
                return "the outbox of \(url)"
            }
        }
        return stalledConnection
    }

    private var stalledConnection: String? {
        let generation = connector.generation
        let waits = openRequests.waits
        let connectCount = calls.values.count(where: \.isOfConnection)
        switch connector.phase {
        case .off, .revoked, .renewing:
            return calls.isEmpty ? nil : "calls without a connection"
        case .connecting:
            return connectCount == 1 && calls.count == 1 ? nil : "the connection"
        case .waiting:
            let isWaiting = waits.contains(.connection(generation: generation))
            return calls.isEmpty && isWaiting ? nil : "the wait for the connection"
        case .on:
            let isFed =
                calls.values.contains(where: \.isOfFeed)
                || waits.contains(.feed(generation: generation))
                || waits.contains(.poll(generation: generation)) || isHaltedByDamage
            return connectCount == 0 && isFed ? nil : "the feed"
        }
    }
}

extension SyncCore.Call {
    fileprivate var isOfConnection: Bool {
        if case .connect = purpose { true } else { false }
    }

    fileprivate var isOfBackfill: Bool {
        switch purpose {
        case .page(let fetch): fetch.task != nil
        case .changelog, .lookup, .reactions: true
        case .connect, .feed, .outbox, .caller: false
        }
    }
}

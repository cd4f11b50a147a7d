import Models
import Store
import Testing

@testable import Sync

/// Tests that the core does not loop forever if a backend always gives the same answer immediately.
@Suite struct CoreLoopTests {
    private let session = BackendSession(user: User(id: "bob"), epoch: "1")

    /// Returns the requests of a core, until the core makes no more.
    ///
    /// A closure answers each request.
    private func requests(
        _ core: inout SyncCore, atMost limit: Int,
        _ answer: (any BackendCall) -> CallResult
    ) -> [any BackendCall] {
        var requests: [any BackendCall] = []
        var actions = core.step(.connect(Credentials("bob"), ticket: 1))
        while !actions.isEmpty, requests.count < limit {
            if case .call(let request, let number) = actions.removeFirst() {
                requests.append(request)
                actions += core.step(.answer(answer(request), call: number))
            }
        }
        return requests
    }

    /// Tests failures of the feed, and failures of the page of a shown channel while the feed is
    /// live.
    @Test(
        arguments: [
            BackendError.Code.canceled, .serverFailure, .throttled, .expired, .refused,
            .unanswered, .notConnected, .sessionExpired, .notFound, .unsupported,
        ], [false, true])
    func coreWaitsOrSkipsTheChannelAfterAFailure(
        _ code: BackendError.Code, isFeedLive: Bool
    ) throws {
        var core = SyncCore(try ChatStore.inMemory(), SyncOptions(), [])
        _ = core.step(.show("general", ShownRange(from: .beginning), viewer: 1))
        var hasBegun = !isFeedLive
        let requested = requests(&core, atMost: 20) { request in
            switch request {
            case is CoreCall.Connect: return .success(session)
            case is CoreCall.Feed where !hasBegun:
                hasBegun = true
                return .success(
                    FeedBatch(events: [], cursor: "1", epoch: "1", isLive: true))
            default: return .failure(BackendError(code, "no"))
            }
        }
        #expect(requested.count < 10)
    }
}

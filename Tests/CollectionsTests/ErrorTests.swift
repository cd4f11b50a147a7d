import Models
import Store
import Sync
import Testing

@testable import Collections

@Suite struct ErrorTests {
    @Test func descriptionDoesNotRepeatTheCause() {
        let offline = SyncError(BackendError(.notConnected, "the network is off"))
        #expect(offline.description == "notConnected: the network is off")
        #expect(
            SyncError(.notConnected, "the network is off", cause: offline).description
                == offline.description)
        let late = SyncError(BackendError(.unanswered, "no answer"))
        #expect(late.description == "notConnected: no answer (unanswered)")
        #expect(
            SyncError(.notConnected, "no answer", cause: late).description
                == late.description)
    }

    @Test func descriptionAddsTheDetailsOfTheCause() {
        let full = StoreError(.noSpace, "the disk is full", path: "/cache")
        #expect(
            SyncError(.store, "the item was not written", cause: full).description
                == "store: the item was not written (\(full))")
        #expect(SyncError(.closed, "it is closed").description == "closed: it is closed")
    }
}

import Models
import ScrollbackTesting
import Sync
import Testing

@testable import MyBackend

/// The server, as the conformance suite asks for it.
struct MySubject: ConformanceSubject {
    let users: [Credentials] = ["alice", "bob", "carol"]
    let requestIDs = RequestIDs()

    func makeBackend(for user: Credentials) async throws -> any Backend { MyBackend() }

    func makeRequestID() -> RequestID { requestIDs.next() }
}

@Test func theBackendKeepsItsPromises() async {
    let report = await BackendConformance.run(on: MySubject()) { $0.promise.id == "connect.user" }
    print(report)
    #expect(report.isKept)
}

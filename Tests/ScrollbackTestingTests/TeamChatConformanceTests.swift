import ScrollbackTesting
import Sync
import Testing

@testable import Models

@Suite struct TeamChatConformanceTests {
    @Test(arguments: [100, 10])
    func theTeamChatKeepsItsPromises(pageLimit: Int) async {
        let report = await BackendConformance.run(on: TeamChatSubject(pageLimit: pageLimit))
        #expect(report.isKept, "\(report)")
    }
}

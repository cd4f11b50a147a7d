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

    /// The same server, whose posts are requested before and after the ID of another post.
    @Test(arguments: [100, 10])
    func theTeamChatKeepsItsPromisesWithPagesByID(pageLimit: Int) async {
        let subject = TeamChatSubject(pageLimit: pageLimit, pagesByID: true)
        let report = await BackendConformance.run(on: subject)
        #expect(report.isKept, "\(report)")
    }
}

import Foundation
import Models
import Sync
import Testing

/// Tests the declarations of all requests.
@Suite struct RequestTests {
    @Test func namesOfCallsAreUnique() {
        let names =
            CoreCall.types.map { $0.declaration.name }
            + StandardRequests.types.map { $0.declaration.name }
        #expect(Set(names).count == names.count)
        #expect(StandardRequests.types.allSatisfy { $0.declaration.summary.hasSuffix(".") })
    }

    @Test(arguments: StandardRequests.types.indices)
    func requestSurvivesJSON(index: Int) throws {
        func check<Request: BackendRequest>(_ type: Request.Type) throws {
            let request = type.example(ExampleNames())
            let data = try JSONEncoder().encode(request)
            #expect(try JSONDecoder().decode(type, from: data) == request)
        }
        try check(StandardRequests.types[index])
    }

    @Test func parametersMayOmitPropertiesWithDefaults() throws {
        let json = #"{"params": {"name": "Team", "userIDs": ["bob"]}}"#
        let request = try JSONDecoder().decode(CreateChannel.self, from: Data(json.utf8))
        #expect(request == CreateChannel(GroupChannelCreateParams("Team", userIDs: ["bob"])))
    }

    @Test func requestWithoutAHandlerIsUnsupported() async {
        let handlers = RequestHandlers()
        let error = await #expect(throws: BackendError.self) {
            try await handlers.answer(SetFrozen(true, for: "general"))
        }
        #expect(error?.code == .unsupported && error?.message == "this backend lacks freezing")
    }

    @Test func lastHandlerOfATypeIsUsed() async throws {
        var handlers = RequestHandlers()
        handlers.on(ResetMyHistory.self) { _ throws(BackendError) in 1 }
        handlers.on(ResetMyHistory.self) { _ throws(BackendError) in 2 }
        #expect(try await handlers.answer(ResetMyHistory(of: "general")) == 2)
        #expect(handlers.types.map { "\($0.declaration.name)" } == ["resetMyHistory"])
    }
}

import Testing

@testable import ScrollbackREPL

@MainActor
@Suite struct InspectingTests {
    @Test func inspectPrintsAnAddressOnThisMachineOrHowToBuildTheInspector() async throws {
        let workspace = Workspace()
        _ = try await Command.perform("connect alice", in: workspace)
        #if Inspector
            let first = try await Command.perform("inspect", in: workspace).text
            #expect(first.hasPrefix("open http://127.0.0.1:"))
            #expect(try await Command.perform("inspect", in: workspace).text == first)
            let off = try await Command.perform("inspect off", in: workspace).text
            #expect(off == "alice is not inspected")
            let second = try await Command.perform("inspect", in: workspace).text
            #expect(second.hasPrefix("open http://127.0.0.1:"))
            #expect(second != first)
            await #expect(throws: CommandError.self) {
                try await Command.perform("inspect nowhere", in: workspace)
            }
        #else
            await #expect(throws: CommandError.self) {
                try await Command.perform("inspect", in: workspace)
            }
        #endif
        await workspace.end()
    }
}

import Dispatch
import ScrollbackTestSupport
import Testing

/// Ends the process and prints the stacks of its threads if a test takes too long.
struct StackTrait: SuiteTrait, TestTrait, TestScoping {
    let minutes: Int
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let watchdog = StackWatchdog(test.name, patience: .seconds(minutes * 60))
        defer { watchdog.cancel() }
        try await function()
    }
}

extension Trait where Self == StackTrait {
    static func stacks(afterMinutes minutes: Int) -> Self { StackTrait(minutes: minutes) }
}

import EmbeddedServer

/// The steps of a world's day.
///
/// Their order is the same in each run.
enum Step: CaseIterable {
    case connect, receive, write, sendFiles, waitUntilSent, goOffline, goOnline, say

    /// A day on which messages are sent and received, online and offline.
    ///
    /// At its end, each channel has two pending messages.
    static let day: [Step] = [
        .connect, .receive, .write, .waitUntilSent, .receive, .write, .waitUntilSent, .goOffline,
        .write, .write,
        .say,
        .goOnline, .waitUntilSent, .receive, .goOffline, .write, .write, .say,
    ]

    /// A day on which files are sent, online and offline.
    ///
    /// At its end, each channel has one pending file.
    static let dayWithFiles: [Step] = [
        .connect, .sendFiles, .waitUntilSent, .goOffline, .sendFiles, .goOnline, .waitUntilSent,
        .goOffline,
        .sendFiles,
    ]
}

extension World {
    /// Performs a step.
    ///
    /// Calls `note` for each promise when it is made.
    func perform(_ step: Step, _ note: (String) -> Void = { _ in }) async throws {
        switch step {
        case .connect: try await connect()
        case .receive: try await receive(note)
        case .write: try await write(note)
        case .sendFiles: try await sendFiles(note)
        case .waitUntilSent: try await waitUntilSent()
        case .goOffline: network.goOffline()
        case .goOnline:
            network.goOnline()
            try await connect()
        case .say: try await say()
        }
    }

    func performDay(through count: Int = Step.day.count) async throws {
        for step in Step.day.prefix(count) { try await perform(step) }
    }
}

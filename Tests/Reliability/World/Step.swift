import EmbeddedServer

/// The steps of a day of a world, in order.
///
/// They are the same in each run.
enum Step: CaseIterable {
    case connect, hear, write, sendFiles, land, goOffline, goOnline, say

    /// Messages are sent and received, online and offline.
    ///
    /// At the end, two messages in each channel are waiting to be sent.
    static let day: [Step] = [
        .connect, .hear, .write, .land, .hear, .write, .land, .goOffline, .write, .write, .say,
        .goOnline, .land, .hear, .goOffline, .write, .write, .say,
    ]

    /// Files are sent, online and offline.
    ///
    /// At the end, one file in each channel is waiting to be sent.
    static let dayWithFiles: [Step] = [
        .connect, .sendFiles, .land, .goOffline, .sendFiles, .goOnline, .land, .goOffline,
        .sendFiles,
    ]
}

extension World {
    /// Performs a step, and reports each promise when it is made.
    func take(_ step: Step, _ note: (String) -> Void = { _ in }) async throws {
        switch step {
        case .connect: try await connect()
        case .hear: try await hear(note)
        case .write: try await write(note)
        case .sendFiles: try await sendFiles(note)
        case .land: try await land()
        case .goOffline: network.goOffline()
        case .goOnline:
            network.goOnline()
            try await connect()
        case .say: try await say()
        }
    }

    func takeDay(through count: Int = Step.day.count) async throws {
        for step in Step.day.prefix(count) { try await take(step) }
    }
}

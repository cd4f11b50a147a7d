import EmbeddedServer

/// The steps of a day of a world, in order; the same each time.
enum Step: CaseIterable {
    case connect, hear, write, sendFiles, land, goOffline, goOnline, say

    /// Messages come and go, online and off, and at last two of each channel wait to be sent.
    static let day: [Step] = [
        .connect, .hear, .write, .land, .hear, .write, .land, .goOffline, .write, .write, .say,
        .goOnline, .land, .hear, .goOffline, .write, .write, .say,
    ]

    /// Files are sent, online and off, and at last one of each channel waits to be sent.
    static let dayWithFiles: [Step] = [
        .connect, .sendFiles, .land, .goOffline, .sendFiles, .goOnline, .land, .goOffline,
        .sendFiles,
    ]
}

extension World {
    /// Does a step; what it promises is noted when it is promised.
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

import NIOCore
import NIOPosix
import Scrollback

@main struct WithNIO {
    static func main() async throws {
        let options = ChatClientOptions()
        let delay = options.sync.backoff.delay(beforeAttempt: 1, jitter: 0) ?? .zero
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let time = try await loop.scheduleTask(in: TimeAmount(delay)) {
            Timestamp(milliseconds: 1_700_000_000_000)
        }.futureResult.get()
        print("After \(delay) on an event loop: \(time)")
    }
}

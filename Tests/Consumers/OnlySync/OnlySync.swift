import Sync

@main struct OnlySync {
    static func main() {
        let backoff = Backoff(interval: .seconds(3), multiplier: 2, maximum: .seconds(24))
        precondition(backoff.delay(beforeAttempt: 3, jitter: 0) == .seconds(6))
        print("Backoff \((1...5).compactMap { backoff.delay(beforeAttempt: $0, jitter: 0) })")
    }
}

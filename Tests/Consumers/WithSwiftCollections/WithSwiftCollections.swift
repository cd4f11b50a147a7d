import DequeModule
import OrderedCollections
import Scrollback

@main struct WithSwiftCollections {
    static func main() {
        var times: OrderedSet<Timestamp> = [1_700_000_000_000, 1_700_000_000_001]
        times.append(1_700_000_000_000)
        var policies: Deque<InitPolicy> = [.cacheOnly, .apiOnly]
        let last = policies.popLast()
        precondition(times.count == 2 && last == .apiOnly)
        print("OrderedSet \(times), Deque \(policies)")
    }
}

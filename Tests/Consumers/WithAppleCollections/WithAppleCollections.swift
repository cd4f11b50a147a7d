// The only combination that needs different names: the target also depends on the product
// Collections of swift-collections. That module is AppleCollections here, and Scrollback is
// imported by its umbrella.
import AppleCollections
import Scrollback

@main struct WithAppleCollections {
    static func main() {
        let times: OrderedSet<Timestamp> = [1_700_000_000_000, 1_700_000_000_001]
        let policies: Deque<InitPolicy> = [.cacheOnly, .apiOnly]
        precondition(times.count == 2 && policies.last == .apiOnly)
        print("OrderedSet \(times), Deque \(policies)")
    }
}

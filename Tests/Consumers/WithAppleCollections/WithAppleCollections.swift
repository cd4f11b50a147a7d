// The only combination that needs other names: this target also depends on the product Collections
// of swift-collections. The manifest renames that module to AppleCollections. Scrollback's modules
// are imported through `Scrollback`.
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

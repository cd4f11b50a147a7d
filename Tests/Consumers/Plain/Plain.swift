import Scrollback

@main struct Plain {
    static func main() {
        useEachModule()
        let first: Timestamp = 1_700_000_000_000
        precondition(first < .distantFuture && InitPolicy.cacheOnly.loadsFromCache)
        print("Scrollback: \(first)")
    }
}

import Collections

@main struct OnlyCollections {
    static func main() {
        let policy = InitPolicy.cacheAndReplaceByAPI
        precondition(policy.loadsFromCache)
        print("\(policy)")
    }
}

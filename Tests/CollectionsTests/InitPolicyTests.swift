import Collections
import Testing

@Suite struct InitPolicyTests {
    @Test func theCommonPolicyShowsTheCacheAndThenAsksTheServer() {
        let policy = InitPolicy.cacheAndReplaceByAPI
        #expect(policy.loadsFromCache)
        #expect(policy.loadsFromAPI)
    }

    @Test func theOtherTwoDoOneOfBoth() {
        #expect(InitPolicy.cacheOnly.loadsFromCache && !InitPolicy.cacheOnly.loadsFromAPI)
        #expect(InitPolicy.apiOnly.loadsFromAPI && !InitPolicy.apiOnly.loadsFromCache)
    }

    @Test func everyPolicyLoadsSomething() {
        #expect(InitPolicy.allCases.allSatisfy { $0.loadsFromCache || $0.loadsFromAPI })
    }
}

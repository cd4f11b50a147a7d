import Collections
import Testing

@Suite struct InitPolicyTests {
    @Test func defaultPolicyShowsTheCacheAndThenTheServersMessages() {
        let policy = InitPolicy.cacheAndReplaceByAPI
        #expect(policy.loadsFromCache)
        #expect(policy.loadsFromAPI)
    }

    @Test func otherPoliciesUseOneSource() {
        #expect(InitPolicy.cacheOnly.loadsFromCache && !InitPolicy.cacheOnly.loadsFromAPI)
        #expect(InitPolicy.apiOnly.loadsFromAPI && !InitPolicy.apiOnly.loadsFromCache)
    }

    @Test func everyPolicyLoadsFromASource() {
        #expect(InitPolicy.allCases.allSatisfy { $0.loadsFromCache || $0.loadsFromAPI })
    }
}

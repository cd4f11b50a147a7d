import Store
import Testing

@Suite struct LevelDBTests {
    @Test func theLinkedLevelDBIs120OrNewer() {
        #expect(LevelDB.version >= (1, 20))
    }
}

import Foundation
import Store
import Testing

@Suite struct StoreErrorTests {
    @Test func descriptionHasCodePathAndMessage() {
        let error = StoreError(.locked, "another process has it open", path: "/data/alice")
        #expect(error.description == "locked: /data/alice: another process has it open")
        #expect(error.localizedDescription == error.description)
    }

    @Test func causeIsInBrackets() {
        let cause = StoreError(.io, "short read", path: "/data/alice/000005.ldb")
        let error = StoreError(.corruption, "message 7", path: "/data/alice", cause: cause)
        #expect(
            "\(error)"
                == "corruption: /data/alice: message 7 (io: /data/alice/000005.ldb: short read)"
        )
    }

    @Test func errorCodesHaveUniqueNames() {
        let codes: [StoreError.Code] = [
            .closed, .locked, .permission, .noSpace, .io, .corruption, .newerSchema, .wrongKey,
            .invalid, .busy,
        ]
        #expect(Set(codes.map(\.description)).count == codes.count)
        #expect("\(StoreError.Code.noSpace)" == "noSpace")
    }
}

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

    @Test(arguments: [
        (ENOSPC, StoreError.Code.noSpace), (EDQUOT, .noSpace), (EACCES, .permission),
        (EPERM, .permission), (EROFS, .permission), (EIO, .io), (ENOENT, .io), (-1, .io),
    ])
    func eachSystemErrorHasItsCode(_ number: Int32, _ code: StoreError.Code) {
        let error = StoreError(errno: number, doing: "read the file", path: "/data/alice")
        #expect(error.code == code)
        #expect(error.path == "/data/alice")
        #expect(error.message.hasPrefix("cannot read the file: "))
        #expect(error.message.hasSuffix(" (errno \(number))"))
    }
}

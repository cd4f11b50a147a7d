import Foundation
import Store
import Testing

@Suite struct StoreErrorSystemTests {
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

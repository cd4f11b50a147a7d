import Foundation
import Testing

@testable import Store

@Suite struct OpenFileTests {
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "/dev/full is missing"))
    func aFullDiskIsAnErrorOfItsOwn() throws {
        let error = #expect(throws: StoreError.self) {
            try OpenFile("/dev/full", O_WRONLY, "open the file").write([1])
        }
        #expect(error?.code == .noSpace)
        #expect(error?.path == "/dev/full")
    }

    @Test func namesThatAreNotThereAreNoNames() throws {
        #expect(try OpenFile.names(in: "/there/is/none") == [])
        let file = try OpenFile(reading: "/there/is/none")
        let isThere = file != nil
        #expect(!isThere)
        #expect(try Set(OpenFile.names(in: "/")).isSuperset(of: [".", "..", "dev"]))
    }
}

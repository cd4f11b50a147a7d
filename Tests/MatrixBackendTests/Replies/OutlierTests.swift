import Models
import ScrollbackTesting
import Testing

@testable import MatrixBackend

/// The messages of a page whose time contradicts the server's order.
@Suite struct MatrixOutlierTests {
    /// Returns the numbers of the outliers of messages, given by their minutes in the server's
    /// order.
    private func outliers(_ minutes: [Int]) -> [Int] {
        minutes.map { Message.sample($0).position! }.outliers.map { Int($0.rawValue)! }.sorted()
    }

    @Test func pageInOrderHasNone() {
        #expect(outliers([]) == [])
        #expect(outliers([1]) == [])
        #expect(outliers([1, 2, 3, 4]) == [])
    }

    @Test func lateMessageIsTheOnlyOne() {
        #expect(outliers([26, 27, 28, 29, 1]) == [1])
        #expect(outliers([26, 1]) == [1])
        #expect(outliers([26, 27, 1, 28, 29]) == [1])
    }

    @Test func messageFromAClockThatIsFastIsTheOnlyOne() {
        #expect(outliers([90, 26, 27, 28]) == [90])
        #expect(outliers([26, 90, 27, 28]) == [90])
    }

    @Test func serversWithDifferentClocksKeepTheRangeOfTheLargerPart() {
        #expect(outliers([11, 1, 12, 2, 13, 14]) == [1, 2])
    }
}

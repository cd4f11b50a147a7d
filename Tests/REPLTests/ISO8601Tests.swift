import Scrollback
import Testing

@testable import ScrollbackREPL

@Suite struct ISO8601Tests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (1_700_000_000_001, "2023-11-14T22:13:20.001Z"),
        (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (-12_219_292_800_000, "1582-10-15T00:00:00.000Z"),
    ])
    func aTimestampAndItsDateAreTheSame(milliseconds: Int64, date: String) {
        let time = Timestamp(milliseconds: milliseconds)
        #expect(time.iso8601 == date)
        #expect(Timestamp(iso8601: date) == time)
    }

    @Test(arguments: [
        Timestamp.distantPast, .distantFuture, -12_219_292_800_001, 253_402_300_800_000,
    ])
    func aTimeOutsideTheCalendarIsShownAsItsMilliseconds(time: Timestamp) {
        #expect(time.iso8601 == "@\(time.milliseconds)")
        #expect(Timestamp(typed: time.iso8601) == time)
    }

    @Test func datesOfFourCenturiesAreParsedAsTheyAreFormatted() {
        for day in stride(from: Int64(0), to: 146_097, by: 61) {
            let time = Timestamp(milliseconds: day * 86_400_000)
            guard Timestamp(iso8601: time.iso8601) == time else {
                Issue.record("\(time.iso8601) does not come back")
                return
            }
        }
    }

    @Test func millisecondsAreOptional() {
        #expect(Timestamp(iso8601: "2023-11-14T22:13:20Z") == 1_700_000_000_000)
    }

    @Test(arguments: [
        "", "now", "2023-11-14", "2023-11-14T22:13:20", "2023-11-14 22:13:20Z",
        "2023-02-29T00:00:00Z", "2023-13-01T00:00:00Z", "2023-00-01T00:00:00Z",
        "2023-11-31T00:00:00Z", "2023-11-00T00:00:00Z", "2023-11-14T24:00:00Z",
        "2023-11-14T22:60:00Z", "2023-11-14T22:13:60Z", "12023-11-14T22:13:20Z",
    ])
    func invalidDateIsNil(text: String) {
        #expect(Timestamp(iso8601: text) == nil)
    }
}

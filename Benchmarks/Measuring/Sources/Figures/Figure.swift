import CAllocations
import CStoreCalls
import Foundation
import Measuring

/// The cost of one call of the store, as numbers that are the same in every run.
struct Figure: Equatable {
    let name: String
    /// The values for one call, in the order of the table's columns.
    var values: [Int]

    static let columns = ["mallocs", "gets", "seeks", "steps", "rows", "bytes", "syncs"]

    /// Counts the cost of a call, as the mean of several calls rounded to a whole number.
    ///
    /// The first calls are not counted, because they include initialization that happens only once.
    ///
    /// - Parameters:
    ///   - name: The name of the call in the table.
    ///   - calls: The number of counted calls.
    ///   - call: The call. Its argument is the index of the call.
    /// - Returns: The figure.
    static func count(
        _ name: String, calls: Int = 64, _ call: (Int) throws -> Void
    ) rethrows -> Figure {
        for index in 0..<4 { try call(index) }
        store_calls_start()
        allocations_start()
        for index in 4..<4 + calls { try call(index) }
        let mallocs = allocations_stop()
        let counted = store_calls_stop()
        let totals = [
            mallocs, counted.gets, counted.seeks, counted.steps, counted.rows, counted.bytes,
            counted.syncs,
        ]
        return Figure(name: name, values: totals.map { (Int($0) + calls / 2) / calls })
    }
}

// MARK: As text

extension Figure {
    private static let width = 34

    /// The header line.
    static var head: String {
        "for each call of the store".padded(to: width)
            + columns.map { $0.padded(to: -9) }.joined()
    }

    var line: String {
        name.padded(to: Figure.width)
            + values.map { String($0).padded(to: -9) }.joined()
    }

    init?(_ line: Substring) {
        let words = line.dropFirst(Figure.width).split(separator: " ").compactMap { Int($0) }
        guard words.count == Figure.columns.count else { return nil }
        name = line.prefix(Figure.width).trimmingCharacters(in: .whitespaces)
        values = words
    }
}

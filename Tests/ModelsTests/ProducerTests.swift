import Foundation
import ScrollbackTestSupport
import Testing

/// Tests that each constant of an open set of values has a use in the sources.
///
/// A constant that no code produces promises an app something that never happens.
@Suite struct ProducerTests {
    @Test(arguments: [
        ("CollectionEventSource", "Models/Messages/CollectionEventSource"),
        ("ErrorCode", "Models/Identity/ErrorCode"),
    ])
    func eachConstantHasAProducer(type: String, path: String) throws {
        let directory = Repository.root.appending(path: "Sources")
        let paths = FileManager.default.enumerator(atPath: directory.path)?.allObjects ?? []
        var used: Set<Substring> = []
        var declaration = ""
        for case let file as String in paths where file.hasSuffix(".swift") {
            let text = try String(contentsOf: directory.appending(path: file), encoding: .utf8)
            if file == "\(path).swift" { declaration = text }
            if file.hasPrefix(path) { continue }
            // A pattern handles a value, and does not produce it.
            let produced = text.replacing(/case (?:\.\w+,?\s+)*\.\w+:/, with: "")
            used.formUnion(produced.matches(of: /\.(\w+)/).map(\.output.1))
        }
        let constants = declaration.matches(of: /public static let (\w+) =/).map(\.output.1)
        #expect(constants.count > 20)
        let unused = constants.filter { !used.contains($0) }
        #expect(unused == [], "no code produces these values of \(type)")
    }
}

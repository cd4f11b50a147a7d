import Foundation
import Testing

@testable import MatrixBackend

@Suite(.timeLimit(.minutes(10))) struct FieldRemoverTests {
    private let texts = [
        (#"{"a":1,"x":{"x":[1,"}",{"y":"\\\""}]},"b":"x"}"#, #"{"a":1,"x":null,"b":"x"}"#),
        (#"{"x" : "a,b" , "c":{"x":1}}"#, #"{"x" :null, "c":{"x":1}}"#),
        (#"{"xx":1,"":2,"x":3}"#, #"{"xx":1,"":2,"x":null}"#),
        (#"{"a":"x","x":[],"x":{}}"#, #"{"a":"x","x":null,"x":null}"#),
        (#"{"long":[1],"longer":2,"x":3}"#, #"{"long":null,"longer":2,"x":null}"#),
        (#"[{"x":1}]"#, #"[{"x":1}]"#), (#"{"a":["x",{"x":1}]}"#, #"{"a":["x",{"x":1}]}"#),
        (#"{"\"x":1,"x\"":2}"#, #"{"\"x":1,"x\"":2}"#), ("", ""), ("x", "x"),
    ]

    @Test(arguments: [1, 2, 3, 1000]) func valueIsRemovedFromPieces(size: Int) {
        for (text, expected) in texts {
            expect(text, expected, [UnneededField("x"), UnneededField("long")], size)
        }
    }

    private let nestedTexts = [
        (
            #"{"a":[{"p":{"x":[1,{"p":{}}],"y":1},"x":2}],"x":3}"#,
            #"{"a":[{"p":{"x":null,"y":1},"x":2}],"x":3}"#
        ),
        (
            #"{"p":[{"x":1}],"a":{"x":"p","b":{"x":1}}}"#,
            #"{"p":[{"x":1}],"a":{"x":"p","b":{"x":1}}}"#
        ),
        (
            #"{"p":{"a":{"x":1},"p":{"x":1},"x":1}}"#,
            #"{"p":{"a":{"x":1},"p":{"x":null},"x":null}}"#
        ),
        (#"{"p":1,"a":{"x":1},"o":{"p":{"x":1}}}"#, #"{"p":1,"a":{"x":1},"o":null}"#),
        (#"{"a":{"o":{"x":1}},"q":{"x":1,"y":{}}}"#, #"{"a":{"o":{"x":1}},"q":{"x":1,"y":null}}"#),
    ]

    @Test(arguments: [1, 2, 3, 1000]) func valueIsRemovedFromObjectsOfAParent(size: Int) {
        let fields = [
            UnneededField("x", of: "p"), UnneededField("y", of: "q"), UnneededField("o"),
        ]
        for (text, expected) in nestedTexts { expect(text, expected, fields, size) }
    }

    private let event = """
        {"unsigned":{"m.relations":{"m.reference":{"chunk":[{"event_id":"$1"}]},"m.thread":{}}}}
        """

    @Test func referencesAreRemovedFromReplies() throws {
        expect(
            event, #"{"unsigned":{"m.relations":{"m.reference":null,"m.thread":{}}}}"#,
            try fields(of: .get("sync")), 1000)
    }

    @Test func filesAndValuesToWriteBackAreWhole() throws {
        var file = MatrixRequest.get("download")
        file.isOfFile = true
        for request in [file, .get("state").forWritingBack] {
            #expect(try fields(of: request).isEmpty)
        }
    }

    private func fields(of request: MatrixRequest) throws -> [UnneededField] {
        let homeserver = try #require(URL(string: "https://example.org"))
        return try request.http(at: homeserver, token: nil, maximumByteCount: 1).unneededFields
    }

    private func expect(
        _ text: String, _ expected: String, _ fields: [UnneededField], _ size: Int
    ) {
        var remover = FieldRemover(fields)
        var kept = Data()
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            kept += remover.remove(from: Data(bytes[start..<min(start + size, bytes.count)]))
        }
        #expect(String(decoding: kept, as: UTF8.self) == expected)
        #expect((remover.removedCount > 0) == (text != expected))
    }
}

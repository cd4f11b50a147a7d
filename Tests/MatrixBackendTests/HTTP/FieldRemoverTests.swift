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
            var remover = FieldRemover(["x", "long"])
            var kept = Data()
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                kept += remover.remove(from: Data(bytes[start..<min(start + size, bytes.count)]))
            }
            #expect(String(decoding: kept, as: UTF8.self) == expected)
            #expect((remover.removedCount > 0) == (text != expected))
        }
    }
}

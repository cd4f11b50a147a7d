import Measuring
import Models
import Protobuf

/// The cases that use messages in memory.
func valueGroups(_ sample: Sample) -> [Group] {
    let protos = sample.plain.map { ProtoMessage($0) }
    let equalProtos = sample.plain.map { ProtoMessage($0) }
    let equalPlain = (0..<Sample.count).map { PlainMessage($0, in: sample.language) }
    let text = "Changed: \(sample.language.texts[0])"
    return [
        Group(
            title: "Copy a message",
            note: "The copy replaces another message in a variable.",
            cases: [
                copying("a reference to an object", .other, sample.plain.map { Box($0) }),
                copying("Scrollback", .scrollback, sample.messages),
                copying("swift-protobuf", .protobuf, protos),
                copying("a plain struct", .other, sample.plain),
            ]),
        Group(
            title: "Compare two equal messages",
            note: "The messages share no memory.",
            cases: [
                comparing("Scrollback", .scrollback, sample.messages, sample.equals),
                comparing("swift-protobuf", .protobuf, protos, equalProtos),
                comparing("a plain struct", .other, sample.plain, equalPlain),
            ]),
        Group(
            title: "Hash a message",
            note: "As a set or a dictionary does.",
            cases: [
                Case("Scrollback", .scrollback, sample.messages) { $0.hashValue },
                Case("swift-protobuf", .protobuf, protos) { $0.hashValue },
                Case("a plain struct", .other, sample.plain) { $0.hashValue },
            ]),
        Group(
            title: "Change the text of a message",
            note: "The text is changed in a copy of the message.",
            cases: [
                Case("Scrollback", .scrollback, sample.messages) { message in
                    var copy = message
                    copy.text = text
                    return copy
                },
                Case("swift-protobuf", .protobuf, protos) { message in
                    var copy = message
                    copy.message = text
                    return copy
                },
                Case("a plain struct", .other, sample.plain) { message in
                    var copy = message
                    copy.text = text
                    return copy
                },
            ]),
    ]
}

private final class Box<Value> {
    let value: Value

    init(_ value: Value) { self.value = value }
}

private func copying<Value>(_ name: String, _ kind: Case.Kind, _ values: [Value]) -> Case {
    Case(name: name, kind: kind) { count in
        var copy = values[0]
        for index in 0..<count {
            copy = values[index % Sample.count]
            keep(copy)
        }
    }
}

private func comparing<Value: Equatable>(
    _ name: String, _ kind: Case.Kind, _ left: [Value], _ right: [Value]
) -> Case {
    Case(name, kind, Array(zip(left, right))) { $0 == $1 }
}

import Foundation

@testable import Models

/// The expected contents of Docs/scrollback.proto, generated from the schemas in the code.
struct ProtoText {
    /// The definitions of the messages and enumerations, by name.
    ///
    /// They have no comments, and one space between words.
    private(set) var definitions: [String: String] = [:]

    init() {
        for type in recordTypes {
            add(type.schema.name, type.schema.fields.map { ($0.number, $0.protoName, $0.kind) })
        }
        add("JSONValue", JSONValue.schemaFields)
        add("JSONArray", [(1, "elements", [JSONValue].fieldKind)])
        add("JSONObject", [(1, "entries", [String: JSONValue].fieldKind)])
    }

    private mutating func add(
        _ name: String, _ fields: [(number: Int, name: String, kind: FieldKind)]
    ) {
        let lines = fields.map { "\($0.kind.protoType) \($0.name) = \($0.number);" }
        definitions[name] = (["message \(name) {"] + lines + ["}"]).joined(separator: " ")
        for field in fields {
            guard case .enumeration(let type) = field.kind.element else { continue }
            let name = String(describing: type)
            let lines = type.names.enumerated().map { index, value in
                "\(ProtoText.constant(name, value)) = \(index);"
            }
            definitions[name] = (["enum \(name) {"] + lines + ["}"]).joined(separator: " ")
        }
    }

    /// Returns the name of an enumeration's case in protobuf, where the name must be unique in the
    /// file.
    static func constant(_ name: String, _ value: String) -> String {
        var prefix = ""
        for character in name {
            if character.isUppercase && !prefix.isEmpty { prefix += "_" }
            prefix += character.uppercased()
        }
        return "\(prefix)_\(value.uppercased())"
    }
}

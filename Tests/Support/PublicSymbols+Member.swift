extension PublicSymbols {
    /// A method or a property of a type.
    package struct Member: Hashable {
        package struct Parameter: Hashable {
            /// The argument label; `_` if there is none.
            package let label: String

            package let hasDefault: Bool

            package let isClosure: Bool
        }

        package let type: String

        /// The name without the parameters.
        package let baseName: String

        /// The parameters of a method; `nil` for a property.
        package let parameters: [Parameter]?

        /// The name with the type and the labels, such as `SyncEngine.coverage(of:)`.
        package var name: String {
            let labels = parameters.map { "(\($0.map { "\($0.label):" }.joined()))" }
            return "\(type).\(baseName)\(labels ?? "")"
        }

        package var needsClosure: Bool {
            parameters?.contains { $0.isClosure && !$0.hasDefault } ?? false
        }

        /// Creates a member from its type, its name with labels, such as `coverage(of:)`, and the
        /// text of its parameters, such as `of url: ChannelURL`; `nil` for a property.
        package init(_ type: String, _ name: String, parameters text: String?) throws {
            self.type = type
            let parts = name.split(separator: "(", maxSplits: 1)
            baseName = String(parts[0])
            guard let text else {
                parameters = nil
                return
            }
            let labels = parts.count == 1 ? [] : parts[1].dropLast().split(separator: ":")
            let declared = Self.parameters(in: text)
            guard labels.count == declared.count else {
                throw Unreadable(reason: "\(type).\(name) has other parameters than (\(text))")
            }
            parameters = zip(labels, declared).map { label, text in
                let parts = text.split(separator: " = ", maxSplits: 1)
                return Parameter(
                    label: String(label), hasDefault: parts.count == 2,
                    isClosure: parts[0].contains("->"))
            }
        }

        /// Splits the text of parameters at the commas between them.
        private static func parameters(in text: String) -> [String] {
            var parts = [""]
            var depth = 0
            var last: Character?
            for character in text {
                switch character {
                case "(", "[", "{", "<": depth += 1
                case ")", "]", "}": depth -= 1
                // The end of `->` closes nothing.
                case ">" where last != "-": depth -= 1
                default: break
                }
                if character == ",", depth == 0 {
                    parts.append("")
                } else {
                    parts[parts.count - 1].append(character)
                }
                last = character
            }
            return text.isEmpty ? [] : parts
        }
    }
}

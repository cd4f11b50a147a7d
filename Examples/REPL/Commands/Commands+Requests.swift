import Foundation
import Scrollback
import Sync

extension Command {
    static let requests: [Command] = [
        Command(
            "request [REQUEST [JSON]]",
            "Lists the requests that the server supports, explains one, or runs one.",
            notes: [
                "Requests that an app declares are among them. Without JSON, an example is shown."
            ],
            example: #"request setFrozen {"channelURL": "general", "isFrozen": true}"#
        ) { arguments in
            let client = try arguments.client
            let types = try client.engine.backend.requests.types
            guard let name = arguments.words.first else {
                guard arguments.json.isEmpty else { throw CommandError.usage }
                return table(types, limit: .everything, orNone: "no requests") {
                    ["\($0.declaration.name)", $0.declaration.summary]
                }
            }
            guard arguments.words.count == 1 else { throw CommandError.usage }
            guard let type = types.first(where: { "\($0.declaration.name)" == name }) else {
                throw CommandError.failed("the server has no request '\(name)': request lists them")
            }
            return try await run(type, arguments)
        }
    ]

    @MainActor private static func run<Request: BackendRequest>(
        _ type: Request.Type, _ arguments: Arguments
    ) async throws -> String {
        guard !arguments.json.isEmpty else {
            let example = Request.example(ExampleNames())
            return
                "\(Request.declaration.summary)\nrequest \(Request.name) \(try json(of: example))"
        }
        let request: Request
        do {
            request = try JSONDecoder().decode(Request.self, from: Data(arguments.json.utf8))
        } catch {
            let example = try json(of: Request.example(ExampleNames()))
            throw CommandError.failed("these are not its parameters, such as \(example)")
        }
        let typed = try JSONDecoder().decode(JSONValue.self, from: Data(arguments.json.utf8))
        let known = Set(Mirror(reflecting: request).children.compactMap(\.label))
        if case .object(let members) = typed,
            let unknown = members.keys.sorted().first(where: { !known.contains($0) })
        {
            throw CommandError.failed(
                "\(Request.name) has no '\(unknown)', only \(known.sorted().joined(separator: ", "))"
            )
        }
        let client = try arguments.client
        guard try client.supports(type) else { throw CommandError.usage }
        let answer = try await client.perform(request)
        return Request.Answer.self == Void.self ? "done" : "\(answer)"
    }

    private static func json(of request: some BackendRequest) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(request), as: UTF8.self)
    }
}

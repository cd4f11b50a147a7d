import Collections
import Foundation
import Models
import Store
import Sync

/// Creates the reports for the page, independently of HTTP.
final class Inspection: Sendable {
    let options: InspectorOptions
    let monitor: Monitor
    let channels = ChannelList()
    let client: ClientReference
    let actions: Actions

    @MainActor
    init(
        _ client: ChatClient, _ options: InspectorOptions,
        _ pause: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.client = ClientReference(client)
        actions = Actions(self.client, TextMask(isOn: options.masksTexts))
        self.options = options
        monitor = Monitor(
            self.client, channels, TextMask(isOn: options.masksTexts), pause: pause)
    }

    /// Returns a report as JSON; `nil` for an unknown name.
    func report(_ name: String, _ query: Query) async throws -> Data? {
        if name == "overview" { return try encode(await Overview(self)) }
        guard let session = await client.session else {
            throw BadRequest("no user has connected yet")
        }
        let mask = TextMask(isOn: options.masksTexts)
        switch name {
        case "channels":
            let request = try ChannelList.Request(query)
            return try encode(await channels.page(request, of: session, mask))
        case "channel":
            let url = try query.channel()
            let activity = await monitor.activity(in: url)
            return try await encode { () throws(StoreError) in
                try ChannelReport(
                    of: url, for: session.userID, activity, in: session.store.snapshot(), mask)
            }
        case "history":
            let request = try HistoryReport.Request(query)
            let sources = await monitor.sources(in: request.channelURL)
            return try await encode { () throws(StoreError) in
                try HistoryReport(request, of: session, sources: sources, mask)
            }
        case "message":
            let request = try MessageReport.Request(query)
            let sources = await monitor.sources(in: request.channelURL)
            guard
                let report = try await onDisk({ () throws(StoreError) in
                    try MessageReport(request, of: session, sources: sources, mask)
                })
            else { throw BadRequest("the message is not stored any more") }
            return try encode(report)
        case "outbox":
            let activity = await monitor.sending()
            return try await encode { () throws(StoreError) in
                try OutboxReport(activity, in: session.store.snapshot(), mask)
            }
        case "sync":
            return try encode(await monitor.report(await session.engine.state, of: session.userID))
        case "store":
            return try await encode { () throws(StoreError) in
                try StoreReport(session.store, mask)
            }
        case "tables":
            return try await encode { () throws(StoreError) in
                try session.store.snapshot().tableSizes().map(StoreReport.Table.init)
            }
        case "app-tables":
            return try await encode { () throws(StoreError) in
                try AppTableReport.all(in: session.store.snapshot())
            }
        case "app-rows":
            return try await encode { () throws(StoreError) in
                try AppRowsReport(of: query["table"] ?? "", in: session.store.snapshot(), mask)
            }
        case "damage": return try encode(try await client.required().damageReport())
        case "eviction":
            let size = try query.integer("size")
            return try encode(EvictionReport(try await session.engine.evictionPlan(to: size)))
        default: return nil
        }
    }

    private func encode(_ value: some Encodable) throws -> Data { try JSONEncoder().encode(value) }

    private func encode(
        _ read: @Sendable () throws(StoreError) -> some Encodable & Sendable
    ) async throws -> Data {
        try encode(try await onDisk(read))
    }
}

/// An error for a request that the page never makes, or whose subject no longer exists.
struct BadRequest: Error {
    let message: String
    init(_ message: String) { self.message = message }
}

/// An unretained reference to the inspected client.
@MainActor
final class ClientReference {
    private(set) weak var client: ChatClient?

    init(_ client: ChatClient) { self.client = client }

    struct Session: Sendable {
        let userID: UserID
        let store: ChatStore
        let engine: SyncEngine
    }

    var session: Session? {
        guard let client, let userID = client.engineUserID, let engine = try? client.engine else {
            return nil
        }
        return Session(userID: userID, store: engine.store, engine: engine)
    }

    func required() throws -> ChatClient {
        guard let client else { throw BadRequest("the client was released") }
        return client
    }
}

struct Query: Sendable {
    private let values: [String: String]

    init(_ values: [String: String]) { self.values = values }

    subscript(_ name: String) -> String? { values[name] }

    func channel() throws -> ChannelURL {
        guard let url = values["channel"], !url.isEmpty else {
            throw BadRequest("the request has no channel")
        }
        return ChannelURL(url)
    }

    func integer(_ name: String) throws -> Int? {
        guard let text = values[name], !text.isEmpty else { return nil }
        guard let number = Int(text) else { throw BadRequest("\(name) is not a number") }
        return number
    }

    func integer(_ name: String, default value: Int, in range: ClosedRange<Int>) throws -> Int {
        min(max(try integer(name) ?? value, range.lowerBound), range.upperBound)
    }
}

/// Shortens texts or, if they are masked, shows only their lengths, and only the codes of errors.
struct TextMask: Sendable {
    let isOn: Bool

    static let rowLimit = 300
    static let fieldLimit = 20_000

    func shown(_ text: String, limit: Int = rowLimit) -> String {
        if isOn { return text.isEmpty ? "" : "••• \(text.count) characters" }
        return String(text.prefix(limit))
    }

    /// Returns the message of an error, which may quote users' texts.
    func shown(_ error: any Error) -> String {
        switch error {
        case let error as BadRequest: error.message
        case let error as SyncError: shown(code: error.code, error.message)
        case let error as BackendError: shown(code: error.code, error.message)
        case let error as StoreError: shown(code: error.code, error.message)
        default: isOn ? "\(type(of: error))" : "\(error)"
        }
    }

    private func shown(code: some CustomStringConvertible, _ message: String) -> String {
        isOn ? "\(code)" : "\(code): \(message)"
    }
}

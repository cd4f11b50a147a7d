public import Models
import Sync

extension ChatClient {
    /// A line of the client's log: see ``ChatClientOptions/log``.
    public struct LogLine: Hashable, Sendable {
        /// The importance of a line; less important levels precede more important ones.
        public enum Level: CaseIterable, Comparable, Sendable {
            /// A request or its answer.
            case debug
            /// A change of the connection or of the cache.
            case info
            /// A failure after which the client tries again, or works without the data.
            case warning
            /// A failure that the app or its user has to know: damage, or a message that was not
            /// sent.
            case error
        }

        /// The importance.
        public let level: Level

        /// The channel that the line is about; `nil` for none or several.
        public let channelURL: ChannelURL?

        /// The event in one line, without texts of messages.
        public let text: String

        init(_ level: Level, _ text: String, in channelURL: ChannelURL? = nil) {
            self.level = level
            self.channelURL = channelURL
            self.text = text.oneLine
        }
    }

    func log(_ session: Session) {
        guard let log = options.log else { return }
        let engine = session.engine
        session.tasks.add(
            Task.detached {
                var calls: [Int: EngineCall] = [:]
                for await activity in await engine.activity() {
                    if let line = LogLine(activity, &calls) { log(line) }
                }
            })
        session.tasks.add(
            Task.detached {
                var connection = ConnectionState.offline
                for await event in await engine.events() {
                    if let line = LogLine(event, &connection) { log(line) }
                }
            })
    }
}

extension ChatClient.LogLine: CustomStringConvertible {
    /// The level, the channel and the text, such as `warning general: …`.
    public var description: String {
        channelURL.map { "\(level) \($0.rawValue.oneLine): \(text)" } ?? "\(level): \(text)"
    }
}

extension ChatClient.LogLine {
    /// Creates the line of an action of the engine; `nil` if it is not logged.
    ///
    /// `calls` contains the calls without an answer.
    init?(_ activity: EngineActivity, _ calls: inout [Int: EngineCall]) {
        switch activity {
        case .began(let call, _):
            calls[call.number] = call
            self.init(.debug, "\(call.line): sent", in: call.channelURL)
        case .ended(let number, let result, _):
            guard let call = calls.removeValue(forKey: number) else { return nil }
            switch result {
            case .success(let count, let byteCount, _):
                self.init(
                    .debug, "\(call.line): answered, \(count) values, \(byteCount) bytes",
                    in: call.channelURL)
            case .failure(let error):
                self.init(.warning, "\(call.line): failed, \(error)", in: call.channelURL)
            }
        case .canceled(let number, _):
            guard let call = calls.removeValue(forKey: number) else { return nil }
            self.init(.debug, "\(call.line): canceled", in: call.channelURL)
        case .waiting(let wait, let attempt, let duration, _):
            self.init(
                .info, "\(wait.subject): attempt \(attempt) follows in \(duration)",
                in: wait.channelURL)
        case .gaveUp(let wait, _):
            self.init(.warning, "\(wait.subject): the last attempt failed", in: wait.channelURL)
        }
    }

    /// Creates the line of an event of the engine; `nil` if it is not logged.
    ///
    /// `connection` is the state of the connection that was logged last.
    init?(_ event: SyncEvent, _ connection: inout ConnectionState) {
        switch event {
        case .state(let state):
            if let failure = state.failure {
                self.init(.error, "the store: \(failure)")
            } else if state.connection != connection {
                connection = state.connection
                self.init(.info, "the connection is \(connection)")
            } else {
                return nil
            }
        case .hugeGap(let url): self.init(.info, "a gap is huge", in: url)
        case .historyLost(let loss): self.init(.warning, "history was lost: \(loss)")
        case .failed(let url, let error): self.init(.warning, "\(error)", in: url)
        case .evicted(let eviction):
            self.init(.info, "\(eviction.messageCount) messages were evicted")
        case .sessionExpired: self.init(.warning, "the session has expired")
        case .deliveryResult(let result, let item):
            let name = "\(item.requestName ?? "\(item.operation)") \(item.requestID)"
            switch result {
            case .sent, .done: self.init(.debug, "\(name): acknowledged", in: item.channelURL)
            case .canceled: self.init(.debug, "\(name): canceled", in: item.channelURL)
            case .unknown: return nil
            case .failed(let item):
                let code = item.errorCode.map { "\($0)" } ?? "no code"
                self.init(.error, "\(name): not sent, \(code)", in: item.channelURL)
            }
        }
    }
}

extension EngineCall {
    fileprivate var line: String { detail.isEmpty ? name : "\(name) (\(detail))" }
}

extension EngineActivity.Wait {
    fileprivate var subject: String {
        switch self {
        case .connection: "the connection"
        case .feed: "the feed"
        case .backfill: "the history"
        case .outbox: "the outbox"
        case .store: "the store"
        }
    }
}

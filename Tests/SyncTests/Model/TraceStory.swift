import Models
import Store

extension ModelRun {
    /// Returns the configuration and the steps in the notation of ``KnownTrace``, with the cached
    /// histories after each step.
    func story() async -> String {
        var lines = trace.config.differences.map { "config.\($0)" }
        var run = self
        run.didPerform = { step, device in
            let code = step.code + ","
            let padding = String(repeating: " ", count: max(1, 50 - code.count))
            lines.append("\(code)\(padding)// \(device.story)")
        }
        _ = await run.violation()
        return lines.joined(separator: "\n")
    }
}

extension Step {
    /// The step as it is written in Swift.
    fileprivate var code: String { "." + "\(self)".shortened }
}

extension WorldConfig {
    /// The properties that differ from their defaults, as they are written in Swift.
    fileprivate var differences: [String] {
        zip(Mirror(reflecting: self).children, Mirror(reflecting: WorldConfig()).children)
            .compactMap { own, plain in
                guard let name = own.label, "\(own.value)" != "\(plain.value)" else { return nil }
                return "\(name) = \(own.value)".shortened
            }
    }
}

extension String {
    /// The description of a value without the names of types and without `Optional`.
    fileprivate var shortened: String {
        replacing(#/SyncTests(\.[A-Z]\w*)+/#, with: "")
            .replacing(#/Optional\(("[^"]*"|-?\d+)\)/#) { "\($0.output.1)" }
    }
}

extension Device {
    /// The cached history of each channel in the notation of the tests, where `?` marks a stale
    /// message.
    fileprivate var story: String {
        oracle.rows.channels.map { url, _, channel in
            ([url.rawValue + ":"] + channel.story + sendings.story(of: url)).joined(separator: " ")
        }.joined(separator: "   ")
    }
}

extension CacheRows.Channel {
    /// The messages and gaps, oldest first.
    fileprivate var story: [String] {
        var words: [(bound: Gap.Bound, order: Int, text: String)] = []
        for position in positions {
            let text = messages[position.messageID]?.essence.text ?? "?"
            words.append((.position(position), 0, text + (isStale(position) ? "?" : "")))
        }
        for gap in gaps {
            words.append((gap.lower, 1, gap.lower == .beginning ? "…" : "~"))
            // A message that was received alone is inside the gap.
            for position in positions where gap.contains(position) {
                words.append((.position(position), 1, "~"))
            }
        }
        return words.sorted { ($0.bound, $0.order) < ($1.bound, $1.order) }.map(\.text)
    }
}

extension Sendings {
    /// The messages in the outbox, in the order in which they were written.
    fileprivate func story(of url: ChannelURL) -> [String] {
        outboxItems.values.filter { $0.operation == .send && $0.channelURL == url }
            .sorted { items[$0.requestID]?.place ?? 0 < items[$1.requestID]?.place ?? 0 }
            .map { $0.state == .failed ? "!\($0.requestID)" : "(\($0.requestID))" }
    }
}

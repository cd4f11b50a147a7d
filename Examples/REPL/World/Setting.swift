import EmbeddedServer
import Scrollback
import Sync

/// A property that commands set by name, as text.
struct Setting<Root: Sendable>: Sendable {
    /// The name of the setting, such as `sync.pageSize`.
    let name: String

    var meaning = ""

    let text: @Sendable (Root) -> String

    let set: @Sendable (String, inout Root) -> Bool
}

extension Setting {
    init<Value: SettingValue>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable
    ) {
        self.init(
            name: name, text: { $0[keyPath: path].settingText },
            set: { text, root in
                guard let value = Value(settingText: text) else { return false }
                root[keyPath: path] = value
                return true
            })
    }
}

protocol SettingValue: Sendable {
    var settingText: String { get }

    init?(settingText: String)
}

extension Int: SettingValue {
    var settingText: String { "\(self)" }

    init?(settingText: String) {
        guard let count = Int(settingText), count >= 0 else { return nil }
        self = count
    }
}

extension Bool: SettingValue {
    var settingText: String { "\(self)" }

    init?(settingText: String) { self.init(settingText) }
}

extension String: SettingValue {
    var settingText: String { self }

    init?(settingText: String) { self = settingText }
}

extension Duration: SettingValue {
    var settingText: String { brief }

    init?(settingText: String) { self.init(typed: settingText) }
}

extension Optional: SettingValue where Wrapped: SettingValue {
    var settingText: String { self?.settingText ?? "none" }

    init?(settingText: String) {
        guard settingText != "none" else {
            self = .none
            return
        }
        guard let value = Wrapped(settingText: settingText) else { return nil }
        self = .some(value)
    }
}

extension Array: SettingValue where Element == UserID {
    var settingText: String { map(\.rawValue).joined(separator: ",") }

    init?(settingText: String) {
        self = settingText.split(separator: ",").map { UserID(String($0)) }
    }
}

extension SettingValue where Self: CaseIterable {
    var settingText: String { "\(self)" }

    init?(settingText: String) {
        guard let value = Self.allCases.first(where: { "\($0)" == settingText }) else { return nil }
        self = value
    }
}

extension StorageFailurePolicy: SettingValue {}
extension HugeGapPolicy: SettingValue {}
extension ResendPolicy: SettingValue {}
extension FailedItemPolicy: SettingValue {}

extension Array {
    func set<Root>(
        _ words: some Sequence<String>, of root: inout Root
    ) throws where Element == Setting<Root> {
        for word in words {
            guard let sign = word.firstIndex(of: "=") else { throw CommandError.usage }
            let value = String(word[sign...].dropFirst())
            _ = try showOrSet([String(word[..<sign]), value], of: &root)
        }
    }

    /// Returns all settings as text, or the one of the first word, which a second word sets.
    ///
    /// `remark` follows the text of a value that was set.
    func showOrSet<Root>(
        _ words: [String], of root: inout Root, _ remark: String = ""
    ) throws -> any Reply where Element == Setting<Root> {
        guard let name = words.first else {
            let current = root
            return Command.table(self, limit: .everything, orNone: "") {
                [$0.name, $0.text(current), $0.meaning]
            }
        }
        guard words.count <= 2 else { throw CommandError.usage }
        guard let setting = first(where: { $0.name == name }) else {
            let names = map(\.name).joined(separator: ", ")
            throw CommandError.failed(
                "there is no '\(name)': "
                    + (count > 10 ? "the command without a name lists all" : names))
        }
        if words.count == 2, !setting.set(words[1], &root) {
            let isBoolean = ["true", "false"].contains(setting.text(root))
            throw CommandError.failed(
                "'\(words[1])' is not a value of \(name)"
                    + (isBoolean ? ": it is true or false" : ""))
        }
        let meaning = setting.meaning.isEmpty || words.count == 2 ? "" : ": \(setting.meaning)"
        let value = setting.text(root)
        return ValuedReply(
            "\(name) is \(value)\(words.count == 2 ? remark : meaning)",
            ["name": name, "value": value])
    }
}

extension Setting where Root == GroupChannelCreateParams {
    /// The settings of a new group channel, besides its URL and members.
    static var ofGroupChannel: [Setting] {
        [
            Setting("name", \.name), Setting("coverURL", \.coverURL), Setting("data", \.data),
            Setting("customType", \.customType), Setting("isDistinct", \.isDistinct),
            Setting("isPublic", \.isPublic), Setting("operatorUserIDs", \.operatorUserIDs),
        ]
    }
}

extension Setting where Root == OpenChannelCreateParams {
    /// The settings of a new open channel, besides its URL.
    static var ofOpenChannel: [Setting] {
        [Setting("name", \.name), Setting("data", \.data), Setting("customType", \.customType)]
    }
}

extension Setting where Root == ChatClientOptions {
    private static var retention: Setting {
        Setting(
            name: "cacheLimits.retention",
            text: { $0.cacheLimits.retention == nil ? "none" : "by channel" },
            set: { text, options in
                if text == "none" {
                    options.cacheLimits.retention = nil
                } else if let table = CacheRetention.table(typed: text) {
                    options.cacheLimits.retention = { table[$0] ?? .unlimited }
                } else {
                    return false
                }
                return true
            })
    }

    static var ofClient: [Setting] {
        [
            Setting("applicationID", \.applicationID),
            Setting("storageFailurePolicy", \.storageFailurePolicy),
            Setting("typingThrottle", \.typingThrottle),
            Setting("cacheLimits.maximumByteCount", \.cacheLimits.maximumByteCount),
            Setting("cacheLimits.clearOrder", \.cacheLimits.clearOrder),
            retention,
            Setting("cacheLimits.downloadsByteCount", \.cacheLimits.downloadsByteCount),
            Setting("cacheLimits.downloadByteCount", \.cacheLimits.downloadByteCount),
            Setting("store.writeBufferByteCount", \.store.writeBufferByteCount),
            Setting("store.blockCacheByteCount", \.store.blockCacheByteCount),
            Setting("store.bloomFilterBitsPerKey", \.store.bloomFilterBitsPerKey),
            Setting("store.isSearchIndexed", \.store.isSearchIndexed),
            Setting("store.maxOpenFiles", \.store.maxOpenFiles),
            Setting("sync.backoff", \.sync.backoff),
            Setting("sync.pageSize", \.sync.pageSize),
            Setting("sync.parallelRequests", \.sync.parallelRequests),
            Setting("sync.backgroundChannels", \.sync.backgroundChannels),
            Setting("sync.backgroundPages", \.sync.backgroundPages),
            Setting("sync.hugeGapThreshold", \.sync.hugeGapThreshold),
            Setting("sync.hugeGapPolicy", \.sync.hugeGapPolicy),
            Setting("sync.clockSkew", \.sync.clockSkew),
            Setting("sync.parallelSends", \.sync.parallelSends),
            Setting("sync.outboxItemLifetime", \.sync.outboxItemLifetime),
            Setting("sync.resendPolicy", \.sync.resendPolicy),
            Setting("sync.failedItemPolicy", \.sync.failedItemPolicy),
            Setting("sync.failedItemLimit", \.sync.failedItemLimit),
            Setting("sync.failedItemLifetime", \.sync.failedItemLifetime),
            Setting("sync.typingTimeout", \.sync.typingTimeout),
            Setting("sync.pollInterval", \.sync.pollInterval),
            Setting("sync.idlePollInterval", \.sync.idlePollInterval),
        ]
    }
}

extension Setting where Root == ServerConditions {
    static var ofServer: [Setting] {
        [
            Setting("pageLimit", \.pageLimit), Setting("changelogPageSize", \.changelogPageSize),
            Setting("feedBatchSize", \.feedBatchSize), Setting("listLimit", \.listLimit),
            Setting("maximumFileByteCount", \.maximumFileByteCount),
            Setting("feedLimit", \.feedLimit), Setting("federationDelay", \.federationDelay),
            Setting("deduplicationPeriod", \.deduplicationPeriod),
            Setting("repeatsChangelogEntries", \.repeatsChangelogEntries),
            Setting("requiresKnownUsers", \.requiresKnownUsers),
            Setting("hasSeparateReactions", \.hasSeparateReactions),
        ]
    }
}

extension Setting where Root == NetworkConditions {
    static var ofNetwork: [Setting] {
        NetworkCondition.all.map { condition in
            Setting(
                name: condition.name, meaning: condition.meaning,
                text: { condition.text(in: $0) }, set: { condition.set($0, in: &$1) })
        }
    }
}

/// The first delay, the factor, the maximum delay and, if limited, the number of attempts.
extension Backoff: SettingValue {
    var settingText: String {
        let delays = "\(interval.brief),\(multiplier),\(maximum.brief)"
        return delays + (maximumAttempts.map { ",\($0)" } ?? "")
    }

    init?(settingText: String) {
        let parts = settingText.split(separator: ",").map(String.init)
        let attempts = parts.count == 4 ? Int(parts[3]) : nil
        guard parts.count == 3 || attempts != nil, let interval = Duration(typed: parts[0]),
            let multiplier = Double(parts[1]), multiplier >= 1,
            let maximum = Duration(typed: parts[2])
        else { return nil }
        self.init(
            interval: interval, multiplier: multiplier, maximum: maximum,
            maximumAttempts: attempts)
    }
}

extension CacheClearOrder: SettingValue {
    var settingText: String {
        if case .messageCollectionAccessedAt = self { return "messageCollectionAccessedAt" }
        return "custom"
    }

    init?(settingText: String) {
        switch settingText {
        case "messageCollectionAccessedAt": self = .messageCollectionAccessedAt
        case "largestFirst": self = .custom { $0.messageCount > $1.messageCount }
        case "smallestFirst": self = .custom { $0.messageCount < $1.messageCount }
        default: return nil
        }
    }
}

extension CacheRetention {
    /// Reads `CHANNEL:DURATION,CHANNEL:whileShown`.
    fileprivate static func table(typed text: String) -> [ChannelURL: CacheRetention]? {
        var table: [ChannelURL: CacheRetention] = [:]
        for part in text.split(separator: ",") {
            guard let colon = part.lastIndex(of: ":") else { return nil }
            let word = String(part[colon...].dropFirst())
            let retention = Duration(typed: word).map { CacheRetention.lasting($0) }
            guard let retention = word == "whileShown" ? .whileShown : retention else { return nil }
            table[ChannelURL(String(part[..<colon]))] = retention
        }
        return table.isEmpty ? nil : table
    }
}

extension Duration {
    /// The duration in its largest whole unit, such as `3s`.
    var brief: String {
        let milliseconds = Int64(self / .milliseconds(1))
        for (unit, size) in [
            ("d", Int64(86_400_000)), ("h", 3_600_000), ("m", 60_000), ("s", 1_000),
        ]
        where milliseconds >= size && milliseconds % size == 0 {
            return "\(milliseconds / size)\(unit)"
        }
        return "\(milliseconds)ms"
    }

    /// Reads a number with a unit, such as `2s`, `500ms`, `10m`, `3h` or `1d`.
    init?(typed text: String) {
        let number = text.prefix { $0.isNumber || $0 == "." }
        let units = ["ms": 1.0, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let count = Double(number), count.isFinite, count < 1e9,
            let unit = units[String(text.dropFirst(number.count))]
        else { return nil }
        self = .milliseconds(count * unit)
    }
}

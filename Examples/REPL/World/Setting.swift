import EmbeddedServer
import Scrollback

/// A property that commands set by its name, to a value that is given as text.
struct Setting<Root: Sendable>: Sendable {
    /// The name of the setting, such as `sync.pageSize`.
    let name: String

    let text: @Sendable (Root) -> String

    /// Sets the value from text, and returns whether the text is valid.
    let set: @Sendable (String, inout Root) -> Bool
}

extension Array {
    /// The values by their names.
    func texts<Root>(of root: Root) -> [String: String] where Element == Setting<Root> {
        Dictionary(uniqueKeysWithValues: map { ($0.name, $0.text(root)) })
    }
}

extension Setting {
    static func count(
        _ name: String, _ path: any WritableKeyPath<Root, Int> & Sendable
    ) -> Setting {
        Setting(
            name: name, text: { "\($0[keyPath: path])" },
            set: { text, root in
                guard let count = Int(text), count >= 0 else { return false }
                root[keyPath: path] = count
                return true
            })
    }

    static func countOrNone(
        _ name: String, _ path: any WritableKeyPath<Root, Int?> & Sendable
    ) -> Setting {
        Setting(
            name: name, text: { $0[keyPath: path].map { "\($0)" } ?? "none" },
            set: { text, root in
                let count = Int(text)
                guard text == "none" || count.map({ $0 >= 0 }) == true else { return false }
                root[keyPath: path] = count
                return true
            })
    }

    static func flag(
        _ name: String, _ path: any WritableKeyPath<Root, Bool> & Sendable
    ) -> Setting {
        Setting(
            name: name, text: { "\($0[keyPath: path])" },
            set: { text, root in
                guard let flag = Bool(text) else { return false }
                root[keyPath: path] = flag
                return true
            })
    }

    static func text(
        _ name: String, _ path: any WritableKeyPath<Root, String> & Sendable
    ) -> Setting {
        Setting(
            name: name, text: { $0[keyPath: path] },
            set: { text, root in
                root[keyPath: path] = text
                return true
            })
    }

    static func duration(
        _ name: String, _ path: any WritableKeyPath<Root, Duration> & Sendable
    ) -> Setting {
        Setting(
            name: name, text: { $0[keyPath: path].brief },
            set: { text, root in
                guard let duration = Duration(typed: text) else { return false }
                root[keyPath: path] = duration
                return true
            })
    }

    static func durationOrNone(
        _ name: String, _ path: any WritableKeyPath<Root, Duration?> & Sendable
    ) -> Setting {
        Setting(
            name: name, text: { $0[keyPath: path]?.brief ?? "none" },
            set: { text, root in
                let duration = Duration(typed: text)
                guard text == "none" || duration != nil else { return false }
                root[keyPath: path] = duration
                return true
            })
    }

    static func oneOf<Value: CaseIterable & Hashable & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable
    ) -> Setting {
        Setting(
            name: name, text: { "\($0[keyPath: path])" },
            set: { text, root in
                guard let value = Value.allCases.first(where: { "\($0)" == text }) else {
                    return false
                }
                root[keyPath: path] = value
                return true
            })
    }
}

extension Array {
    /// Sets the properties that words of the form `NAME=VALUE` specify.
    func set<Root>(
        _ words: some Sequence<String>, of root: inout Root
    ) throws where Element == Setting<Root> {
        for word in words {
            guard let sign = word.firstIndex(of: "=") else { throw CommandError.usage }
            let name = word[..<sign]
            guard let setting = first(where: { $0.name == name }) else {
                throw CommandError.failed(
                    "there is no '\(name)': \(map(\.name).joined(separator: ", "))")
            }
            let value = String(word[sign...].dropFirst())
            guard setting.set(value, &root) else {
                throw CommandError.failed("'\(value)' is not a value of \(name)")
            }
        }
    }
}

/// A setting of a new group channel, in addition to its URL and its members.
typealias GroupChannelSetting = Setting<GroupChannelCreateParams>

extension GroupChannelSetting {
    static let all: [GroupChannelSetting] = [
        .text("name", \.name), .text("coverURL", \.coverURL), .text("data", \.data),
        .text("customType", \.customType), .flag("isDistinct", \.isDistinct),
        .flag("isPublic", \.isPublic),
        Setting(
            name: "operatorUserIDs",
            text: { $0.operatorUserIDs.map(\.rawValue).joined(separator: ",") },
            set: { text, params in
                params.operatorUserIDs = text.split(separator: ",").map { UserID(String($0)) }
                return true
            }),
    ]
}

/// A setting of a new open channel, in addition to its URL.
typealias OpenChannelSetting = Setting<OpenChannelCreateParams>

extension OpenChannelSetting {
    static let all: [OpenChannelSetting] = [
        .text("name", \.name), .text("data", \.data), .text("customType", \.customType),
    ]
}

typealias ClientOption = Setting<ChatClientOptions>

extension ClientOption {
    static let all: [ClientOption] = [
        .text("applicationID", \.applicationID),
        .oneOf("storageFailurePolicy", \.storageFailurePolicy),
        .duration("typingThrottle", \.typingThrottle),
        .count("cacheLimits.maximumByteCount", \.cacheLimits.maximumByteCount),
        Setting(
            name: "cacheLimits.clearOrder", text: { $0.cacheLimits.clearOrder.word },
            set: { text, options in
                guard let order = CacheClearOrder(typed: text) else { return false }
                options.cacheLimits.clearOrder = order
                return true
            }),
        Setting(
            name: "cacheLimits.retention",
            text: { $0.cacheLimits.retention == nil ? "none" : "by channel" },
            set: { text, options in
                guard text != "none" else {
                    options.cacheLimits.retention = nil
                    return true
                }
                guard let table = CacheRetention.table(typed: text) else { return false }
                options.cacheLimits.retention = { table[$0] ?? .unlimited }
                return true
            }),
        .count("store.writeBufferByteCount", \.store.writeBufferByteCount),
        .count("store.blockCacheByteCount", \.store.blockCacheByteCount),
        .count("store.bloomFilterBitsPerKey", \.store.bloomFilterBitsPerKey),
        .flag("store.isCompressed", \.store.isCompressed),
        .flag("store.verifiesChecksums", \.store.verifiesChecksums),
        .flag("store.isSearchIndexed", \.store.isSearchIndexed),
        .count("store.maxOpenFiles", \.store.maxOpenFiles),
        Setting(
            name: "sync.backoff", text: { "\($0.sync.backoff.text)" },
            set: { text, options in
                guard let backoff = Backoff(typed: text) else { return false }
                options.sync.backoff = backoff
                return true
            }),
        .count("sync.pageSize", \.sync.pageSize),
        .count("sync.parallelRequests", \.sync.parallelRequests),
        .count("sync.backgroundChannels", \.sync.backgroundChannels),
        .count("sync.backgroundPages", \.sync.backgroundPages),
        .count("sync.hugeGapThreshold", \.sync.hugeGapThreshold),
        .oneOf("sync.hugeGapPolicy", \.sync.hugeGapPolicy),
        .duration("sync.clockSkew", \.sync.clockSkew),
        .count("sync.parallelSends", \.sync.parallelSends),
        .duration("sync.outboxItemLifetime", \.sync.outboxItemLifetime),
        .oneOf("sync.resendPolicy", \.sync.resendPolicy),
        .oneOf("sync.failedItemPolicy", \.sync.failedItemPolicy),
        .countOrNone("sync.failedItemLimit", \.sync.failedItemLimit),
        .durationOrNone("sync.failedItemLifetime", \.sync.failedItemLifetime),
    ]
}

/// A setting of the behavior in which servers differ.
typealias ServerSetting = Setting<ServerConditions>

extension ServerSetting {
    static let all: [ServerSetting] = [
        .count("pageLimit", \.pageLimit),
        .count("changelogPageSize", \.changelogPageSize),
        .count("feedBatchSize", \.feedBatchSize),
        .count("listLimit", \.listLimit),
        .count("maximumFileByteCount", \.maximumFileByteCount),
        .countOrNone("feedLimit", \.feedLimit),
        .duration("federationDelay", \.federationDelay),
        .durationOrNone("deduplicationPeriod", \.deduplicationPeriod),
        .flag("repeatsChangelogEntries", \.repeatsChangelogEntries),
        .flag("requiresKnownUsers", \.requiresKnownUsers),
        .flag("hasSeparateReactions", \.hasSeparateReactions),
    ]
}

extension Backoff {
    /// The delays as text: the first delay, the factor, the maximum delay, and the number of
    /// attempts.
    fileprivate var text: String {
        "\(interval.brief),\(multiplier),\(maximum.brief)" + (retries.map { ",\($0)" } ?? "")
    }

    fileprivate init?(typed text: String) {
        let parts = text.split(separator: ",").map(String.init)
        guard (3...4).contains(parts.count), let interval = Duration(typed: parts[0]),
            let multiplier = Double(parts[1]), multiplier >= 1,
            let maximum = Duration(typed: parts[2])
        else { return nil }
        let retries = parts.count == 4 ? Int(parts[3]) : nil
        if parts.count == 4, retries == nil { return nil }
        self.init(
            interval: interval, multiplier: multiplier, maximum: maximum, retries: retries)
    }
}

extension CacheClearOrder {
    /// The text of the order; a custom comparison is shown as `custom`.
    fileprivate var word: String {
        if case .messageCollectionAccessedAt = self {
            "messageCollectionAccessedAt"
        } else {
            "custom"
        }
    }

    fileprivate init?(typed text: String) {
        switch text {
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
}

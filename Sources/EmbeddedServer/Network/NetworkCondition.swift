/// One of the things that can be turned in ``NetworkConditions``, by a name.
///
/// For prompts, scripts and traces: what a test sets as `conditions.feed.holes = 0.5` is set here as
///
/// ```swift
/// NetworkCondition.named("feed.holes")?.set("0.5", in: &conditions)
/// ```
///
/// A name that there is not gives `nil`, and a text that is no value changes nothing and says `false`.
public struct NetworkCondition: Sendable {
    /// Its place in the conditions, such as "feed.holes".
    public let name: String

    /// What it does, and the real behaviour it stands for, in one line.
    public let meaning: String

    /// Whether a backend that keeps its promises may behave like this.
    public let isWithinContract: Bool

    /// Whether calls fail by it that would have been answered.
    public let failsCalls: Bool

    let property: Property

    /// Where the value is, and what values it takes.
    enum Property: Sendable {
        case share(any WritableKeyPath<NetworkConditions, Double> & Sendable)
        case count(any WritableKeyPath<NetworkConditions, Int?> & Sendable)
        case flag(any WritableKeyPath<NetworkConditions, Bool> & Sendable)
        case duration(any WritableKeyPath<NetworkConditions, Duration> & Sendable)
    }

    init(
        _ name: String, _ property: Property, isWithinContract: Bool = true,
        failsCalls: Bool = false, _ meaning: String
    ) {
        self.name = name
        self.meaning = meaning
        self.isWithinContract = isWithinContract
        self.failsCalls = failsCalls
        self.property = property
    }

    /// The one with a name; `nil` if there is none.
    public static func named(_ name: String) -> NetworkCondition? { all.first { $0.name == name } }

    /// Whether it differs from what it is in a perfect network.
    public func isOn(in conditions: NetworkConditions) -> Bool {
        text(in: conditions) != text(in: .perfect)
    }
}

// MARK: As text

extension NetworkCondition {
    /// The value, such as "0.5", "3", "none", "true" or "250 ms".
    public func text(in conditions: NetworkConditions) -> String {
        switch property {
        case .share(let path): "\(conditions[keyPath: path])"
        case .count(let path): conditions[keyPath: path].map { "\($0)" } ?? "none"
        case .flag(let path): "\(conditions[keyPath: path])"
        case .duration(let path): "\(conditions[keyPath: path] / .milliseconds(1)) ms"
        }
    }

    /// Sets the value from a text.
    ///
    /// - Parameters:
    ///   - text: A share from 0 to 1, a number of at least 1 or "none", "true" or "false", or
    ///     milliseconds, depending on what the condition is.
    ///   - conditions: What is changed; it is not, if the text is none of these.
    /// - Returns: Whether the text was understood.
    @discardableResult
    public func set(_ text: String, in conditions: inout NetworkConditions) -> Bool {
        switch property {
        case .share(let path):
            guard let share = Double(text), (0...1).contains(share) else { return false }
            conditions[keyPath: path] = share
        case .count(let path):
            let count = Int(text)
            guard text == "none" || count.map({ $0 >= 1 }) == true else { return false }
            conditions[keyPath: path] = count
        case .flag(let path):
            guard let flag = Bool(text) else { return false }
            conditions[keyPath: path] = flag
        case .duration(let path):
            let number = text.hasSuffix(" ms") ? String(text.dropLast(3)) : text
            guard let milliseconds = Double(number), (0...1e12).contains(milliseconds) else {
                return false
            }
            conditions[keyPath: path] = .milliseconds(milliseconds)
        }
        return true
    }
}

extension NetworkConditions: CustomStringConvertible {
    /// The seed and what differs from a perfect network, such as "seed 7, feed.holes 0.5".
    public var description: String {
        let parts = NetworkCondition.all.filter { $0.isOn(in: self) }
            .map { "\($0.name) \($0.text(in: self))" }
        return (["seed \(seed)"] + parts).joined(separator: ", ")
    }
}

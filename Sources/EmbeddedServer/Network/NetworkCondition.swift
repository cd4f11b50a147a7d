/// A named property of ``NetworkConditions``, for prompts, scripts and traces.
///
/// This is equivalent to `conditions.feed.truncations = 0.5`:
///
/// ```swift
/// NetworkCondition.named("feed.truncations")?.set("0.5", in: &conditions)
/// ```
public struct NetworkCondition: Sendable {
    /// The path of the property, such as "feed.truncations".
    public let name: String

    /// The effect, and the real behavior that it simulates, in one line.
    public let meaning: String

    /// A Boolean value that indicates whether a correct backend may behave like this.
    public let isWithinContract: Bool

    /// A Boolean value that indicates whether the condition makes calls fail.
    public let failsCalls: Bool

    let property: Property

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

    /// Returns the condition with a name, if any.
    public static func named(_ name: String) -> NetworkCondition? { all.first { $0.name == name } }

    /// Returns whether the condition differs from a perfect network.
    public func isOn(in conditions: NetworkConditions) -> Bool {
        text(in: conditions) != text(in: .perfect)
    }
}

// MARK: As text

extension NetworkCondition {
    /// Returns the value as text, such as "0.5", "3", "none", "true" or "250 ms".
    public func text(in conditions: NetworkConditions) -> String {
        switch property {
        case .share(let path): "\(conditions[keyPath: path])"
        case .count(let path): conditions[keyPath: path].map { "\($0)" } ?? "none"
        case .flag(let path): "\(conditions[keyPath: path])"
        case .duration(let path): "\(conditions[keyPath: path] / .milliseconds(1)) ms"
        }
    }

    /// Sets the value from text, and returns `false` without a change if the text is invalid.
    ///
    /// Depending on the condition, it is a share from 0 to 1; a number of at least 1, or "none";
    /// "true" or "false"; or a number of milliseconds.
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
    /// The seed and the differences from a perfect network, such as "seed 7, feed.truncations 0.5".
    public var description: String {
        let parts = NetworkCondition.all.filter { $0.isOn(in: self) }
            .map { "\($0.name) \($0.text(in: self))" }
        return (["seed \(seed)"] + parts).joined(separator: ", ")
    }
}

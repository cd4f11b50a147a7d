enum ChangelogPlan: Equatable {
    case plain
    /// An empty page precedes the content.
    case empty
    /// The next call returns the page once more.
    case repeated
    /// Each further call returns the page again.
    case stuck
    case expired

    init(
        _ conditions: ChangelogConditions, since point: ConditionedCursor, canExpire: Bool,
        random: inout SplitMix64
    ) {
        let (isExpired, isStuck) = (
            random.happens(conditions.expired), random.happens(conditions.stuck)
        )
        let (isEmpty, isRepeated) = (
            random.happens(conditions.empty), random.happens(conditions.repeated)
        )
        if isExpired && canExpire {
            self = .expired
        } else if isStuck {
            self = .stuck
        } else if isEmpty && point.part == 0 {
            self = .empty
        } else if isRepeated && !point.isRepeated {
            self = .repeated
        } else {
            self = .plain
        }
    }
}

/// The way in which a page of a changelog is returned.
enum ChangelogPlan: Equatable {
    /// Unchanged.
    case plain
    /// An empty page; the next page has the content.
    case empty
    /// Unchanged, and once more with the next call.
    case repeated
    /// Unchanged, and again with each further call.
    case stuck
    /// Not at all: the token has expired.
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

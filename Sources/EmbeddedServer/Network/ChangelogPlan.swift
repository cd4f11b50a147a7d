/// Decides how one page of a changelog is told.
enum ChangelogPlan: Equatable {
    /// As the server tells it.
    case plain
    /// Empty, with all of it still to come.
    case empty
    /// As the server tells it, and then again.
    case repeated
    /// As the server tells it, and again for ever.
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

/// The way in which a page of a changelog is returned.
enum ChangelogPlan: Equatable {
    /// The page is returned unchanged.
    case plain
    /// An empty page is returned, and the next page has the content.
    case empty
    /// The page is returned unchanged, and the next call returns it once more.
    case repeated
    /// The page is returned unchanged, and each further call returns it again.
    case stuck
    /// The page is not returned, because the token has expired.
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

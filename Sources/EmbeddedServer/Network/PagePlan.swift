struct PagePlan {
    let older: Int
    let newer: Int

    /// `true` if an empty page precedes the content.
    let isEmpty: Bool

    let isExpired: Bool

    enum AnchorKind {
        /// A message, which must be on the page if newer ones are requested.
        case message
        case cursorOfEmptyPage
        case cursor
        case other
    }

    init(
        _ conditions: PageConditions, at kind: AnchorKind, older: Int, newer: Int,
        random: inout SplitMix64
    ) {
        let hasCursor = kind == .cursor || kind == .cursorOfEmptyPage
        isExpired = random.happens(conditions.expired) && hasCursor
        // Consecutive empty pages could repeat forever.
        isEmpty =
            random.happens(conditions.empty) && kind != .cursorOfEmptyPage
            && !(kind == .message && newer > 0) && max(older, newer) > 0
        let isShort = random.happens(conditions.short)

        func length(_ requested: Int) -> Int {
            let capped = conditions.cap.map { min(requested, max($0, 1)) } ?? requested
            guard isShort, capped > 1 else { return capped }
            return Int.random(in: 1..<capped, using: &random)
        }
        let (older, newer) = (length(older), length(newer))
        self.older = isEmpty ? 0 : older
        self.newer = isEmpty ? 0 : newer
    }
}

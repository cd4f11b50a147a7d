/// Decides how long one page is, and whether its cursor has expired.
struct PagePlan {
    /// How many elements to ask for on either side.
    let older: Int
    let newer: Int

    /// Whether the page is empty, with all of it still to come.
    let isEmpty: Bool

    /// Whether the server has forgotten the cursor.
    let isExpired: Bool

    /// Where a page is to lie.
    enum Place {
        /// At a message, which has to be on the page if newer ones are asked for.
        case message
        /// At a cursor that came with an empty page.
        case cursorOfEmptyPage
        /// At a cursor.
        case cursor
        /// Anywhere else.
        case elsewhere
    }

    init(
        _ conditions: PageConditions, at place: Place, older: Int, newer: Int,
        random: inout SplitMix64
    ) {
        let hasCursor = place == .cursor || place == .cursorOfEmptyPage
        isExpired = random.happens(conditions.expired) && hasCursor
        // Never twice in a row: else a walk might not come to its end.
        isEmpty =
            random.happens(conditions.empty) && place != .cursorOfEmptyPage
            && !(place == .message && newer > 0) && max(older, newer) > 0
        let isShort = random.happens(conditions.short)

        func length(_ asked: Int) -> Int {
            let capped = conditions.cap.map { min(asked, max($0, 1)) } ?? asked
            guard isShort, capped > 1 else { return capped }
            return Int.random(in: 1..<capped, using: &random)
        }
        let (older, newer) = (length(older), length(newer))
        self.older = isEmpty ? 0 : older
        self.newer = isEmpty ? 0 : newer
    }
}

/// The length of a page, and whether its cursor has expired.
struct PagePlan {
    /// The number of elements to request in each direction.
    let older: Int
    let newer: Int

    /// A Boolean value that indicates whether an empty page is returned, and the next page has its
    /// content.
    let isEmpty: Bool

    /// A Boolean value that indicates whether the server has discarded the cursor.
    let isExpired: Bool

    /// The kind of the page's anchor.
    enum AnchorKind {
        /// A message, which must be on the page if newer messages are requested.
        case message
        /// The cursor of an empty page.
        case cursorOfEmptyPage
        /// The cursor of any other page.
        case cursor
        /// Any other anchor.
        case other
    }

    init(
        _ conditions: PageConditions, at kind: AnchorKind, older: Int, newer: Int,
        random: inout SplitMix64
    ) {
        let hasCursor = kind == .cursor || kind == .cursorOfEmptyPage
        isExpired = random.happens(conditions.expired) && hasCursor
        // Never return two consecutive empty pages. Otherwise, empty pages could repeat forever,
        // and the client would never reach the end.
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

package import Collections
package import Models
package import Store
import Sync

extension StoreReader {
    /// Returns the rows of a list between two bounds.
    ///
    /// This is the naive implementation to compare a window with.
    package func naiveItems(
        in url: ChannelURL, from lower: Gap.Bound, to upper: Gap.Bound,
        params: MessageListParams, userID: UserID?
    ) throws -> [MessageItem] {
        let unsent = try outboxItems(in: url)
        let unsentChanges = UnsentChanges(unsent, userID: userID)
        let messages = try messages(in: url).reversed().compactMap { held -> Message? in
            guard let bound = held.position.map(Gap.Bound.position), lower <= bound,
                bound <= upper, let shown = unsentChanges.shown(held), params.belongsTo(shown)
            else { return nil }
            return shown
        }
        var rows: [(bound: Gap.Bound, isGap: Bool, item: MessageItem)] = messages.compactMap {
            message in
            message.position.map { (.position($0), false, .message(message)) }
        }
        for gap in try gaps(in: url)
        where lower <= gap.lower && gap.lower != .beginning && gap.upper <= upper {
            let inside = messages.compactMap(\.position).filter(gap.contains)
            var bounds = [gap.lower] + inside.map { .position($0) } + [gap.upper]
            // At the newest end, only the oldest of these gaps is shown: messages received live
            // follow each other without a gap.
            if gap.upper == .end { bounds = Array(bounds.prefix(2)) }
            for (from, to) in zip(bounds, bounds.dropFirst()) {
                rows.append((from, true, .gap(Gap(in: url, from: from, to: to))))
            }
        }
        rows.sort { ($0.bound, $0.isGap ? 1 : 0) < ($1.bound, $1.isGap ? 1 : 0) }
        var items = rows.map(\.item)
        for item in unsent where item.operation == .send {
            guard let message = item.message.flatMap(unsentChanges.shown), params.belongsTo(message)
            else { continue }
            items.append(.message(message))
        }
        return params.isReversed ? items.reversed() : items
    }
}

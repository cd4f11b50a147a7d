/// How many messages, channels or members may be asked for at once.
///
/// Sizes come from apps, from stored params and from JSON, so any number is possible. Where a size
/// is used, a number out of range counts as the nearest one that is in it.
package enum PageSize {
    /// The largest page.
    package static let maximum = 10_000

    /// The nearest size from `minimum` to ``maximum``.
    package static func nearest(to size: Int, atLeast minimum: Int = 0) -> Int {
        min(max(size, minimum), maximum)
    }
}

extension MessageListParams {
    /// ``previousResultSize``, in range.
    package var olderPageSize: Int { PageSize.nearest(to: previousResultSize) }

    /// ``nextResultSize``, in range.
    package var newerPageSize: Int { PageSize.nearest(to: nextResultSize) }
}

extension ThreadedMessageListParams {
    /// ``previousResultSize``, in range.
    package var olderPageSize: Int { PageSize.nearest(to: previousResultSize) }

    /// ``nextResultSize``, in range.
    package var newerPageSize: Int { PageSize.nearest(to: nextResultSize) }
}

extension GroupChannelListQuery {
    /// ``limit``, in range.
    package var pageSize: Int { PageSize.nearest(to: limit, atLeast: 1) }
}

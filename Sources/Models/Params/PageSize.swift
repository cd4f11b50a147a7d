/// The limits for the number of messages, channels or members in one request.
///
/// Sizes come from apps, from stored parameters and from JSON, so any number is possible. A size
/// out of range is replaced by the nearest one in range.
package enum PageSize {
    /// The maximum size of a page.
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

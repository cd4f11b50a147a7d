/// The limits for the number of messages, channels or members that a request asks for.
///
/// Apps, stored parameters and JSON may contain any number. A number outside the valid range is
/// replaced by the nearest number in the range.
package enum PageSize {
    /// The maximum size of a page.
    package static let maximum = 10_000

    /// Returns `size`, limited to the range from `minimum` to ``maximum``.
    package static func nearest(to size: Int, atLeast minimum: Int = 0) -> Int {
        min(max(size, minimum), maximum)
    }
}

extension MessageListParams {
    /// ``previousResultSize``, limited to the valid range.
    package var olderPageSize: Int { PageSize.nearest(to: previousResultSize) }

    /// ``nextResultSize``, limited to the valid range.
    package var newerPageSize: Int { PageSize.nearest(to: nextResultSize) }
}

extension ThreadedMessageListParams {
    /// ``previousResultSize``, limited to the valid range.
    package var olderPageSize: Int { PageSize.nearest(to: previousResultSize) }

    /// ``nextResultSize``, limited to the valid range.
    package var newerPageSize: Int { PageSize.nearest(to: nextResultSize) }
}

extension GroupChannelListQuery {
    /// ``limit``, limited to the valid range.
    package var pageSize: Int { PageSize.nearest(to: limit, atLeast: 1) }
}

/// Page sizes may be any number, which is replaced by the nearest valid one.
package enum PageSize {
    package static let maximum = 10_000

    package static func nearest(to size: Int, atLeast minimum: Int = 0) -> Int {
        min(max(size, minimum), maximum)
    }
}

extension MessageListParams {
    package var olderPageSize: Int { PageSize.nearest(to: previousResultSize) }

    package var newerPageSize: Int { PageSize.nearest(to: nextResultSize) }
}

extension ThreadedMessageListParams {
    package var olderPageSize: Int { PageSize.nearest(to: previousResultSize) }

    package var newerPageSize: Int { PageSize.nearest(to: nextResultSize) }
}

extension GroupChannelListQuery {
    package var pageSize: Int { PageSize.nearest(to: limit, atLeast: 1) }
}

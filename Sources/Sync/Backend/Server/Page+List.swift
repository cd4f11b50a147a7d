public import Models

extension Page {
    /// Creates a page of a complete list, for servers that return lists without pages.
    ///
    /// The cursor of the next page is the ID of the last element, which stays valid when other
    /// elements are added or removed.
    ///
    /// - Parameters:
    ///   - list: All elements, in their order.
    ///   - cursor: The previous page's cursor; `nil` for the first page.
    ///   - limit: The maximum number of elements; a number below 1 is replaced by 1.
    ///   - id: Returns the ID of an element, which no other element has.
    /// - Throws: `expired` if the list no longer contains the element of the cursor.
    public init(
        _ list: [Element], after cursor: PageCursor?, limit: Int, id: (Element) -> String
    ) throws(BackendError) {
        var rest = list[...]
        if let cursor {
            guard let index = list.firstIndex(where: { id($0) == cursor.rawValue }) else {
                throw BackendError(.expired, "\(cursor) is no longer in the list")
            }
            rest = list[(index + 1)...]
        }
        let page = Array(rest.prefix(max(limit, 1)))
        self.init(
            page, next: rest.count > page.count ? page.last.map { PageCursor(id($0)) } : nil)
    }
}

import Models
import Sync

// Mistakes in pages.
extension Mistake {
    static let pageMistakes: [Mistake] = [
        Mistake("ends the history at an incomplete page", ["messages.ends"]) { backend, base, _ in
            backend.on(CoreCall.Messages.self) { call in
                let (url, anchor, older, newer) = (
                    call.channelURL, call.anchor, call.older, call.newer
                )
                guard older > 60 else {
                    return try await base.messages(
                        in: url, at: anchor, older: older, newer: newer)
                }
                var page = try await base.messages(in: url, at: anchor, older: 20, newer: 0)
                page.older = nil
                return page
            }
        },
        .altering("has no end", ["messages.walk"]) { (page: inout MessagePage) in
            page.older = page.older ?? PageCursor(before: 0)
        },
        Mistake("loses a message between pages", ["messages.cursor"]) { backend, base, _ in
            backend.on(CoreCall.Messages.self) { call in
                let (url, anchor, older, newer) = (
                    call.channelURL, call.anchor, call.older, call.newer
                )
                var page = try await base.messages(in: url, at: anchor, older: older, newer: newer)
                if case .cursor = anchor, older == 3, page.messages.count == older {
                    page.messages.removeLast()
                }
                return page
            }
        },
        Mistake("repeats a message on the next page", ["messages.cursor"]) {
            backend, base, memory in
            backend.on(CoreCall.Messages.self) { call in
                let (url, anchor, older, newer) = (
                    call.channelURL, call.anchor, call.older, call.newer
                )
                var page = try await base.messages(in: url, at: anchor, older: older, newer: newer)
                let first = page.messages.first
                let before = memory.use { memory in
                    defer { memory.firstMessages[url] = first }
                    return memory.firstMessages[url]
                }
                if case .cursor = anchor, older == 3, let before { page.messages.append(before) }
                return page
            }
        },
        Mistake(
            "loses a message of the same millisecond", ["messages.cursor", "messages.anchor"]
        ) { backend, base, _ in
            backend.on(CoreCall.Messages.self) { call in
                let (url, anchor, older, newer) = (
                    call.channelURL, call.anchor, call.older, call.newer
                )
                var page = try await base.messages(in: url, at: anchor, older: older, newer: newer)
                if older > 0, let first = page.messages.first, page.older != nil {
                    page.older = PageCursor(before: first.createdAt)
                }
                return page
            }
        },
        Mistake("returns more messages than requested", ["messages.limit"]) { backend, base, _ in
            backend.on(CoreCall.Messages.self) { call in
                let (url, anchor, older, newer) = (
                    call.channelURL, call.anchor, call.older, call.newer
                )
                guard newer == 1, older == 0 else {
                    return try await base.messages(in: url, at: anchor, older: older, newer: newer)
                }
                return try await base.messages(in: url, at: anchor, older: 0, newer: 2)
            }
        },
        Mistake("omits a message from a page", ["messages.whole"]) { backend, base, _ in
            backend.on(CoreCall.Messages.self) { call in
                let (url, anchor, older, newer) = (
                    call.channelURL, call.anchor, call.older, call.newer
                )
                var page = try await base.messages(in: url, at: anchor, older: older, newer: newer)
                if older == 20, newer == 20, page.messages.count > 4 { page.messages.remove(at: 3) }
                return page
            }
        },
        .altering("calls every message an outlier", ["messages.whole"]) {
            (page: inout MessagePage) in
            page.outliers = Set(page.messages.compactMap(\.messageID))
        },
        Mistake("loses the neighbor of a message of another user", ["messages.whole"]) {
            backend, base, _ in
            backend.on(CoreCall.Messages.self) { call in
                let (url, anchor, older, newer) = (
                    call.channelURL, call.anchor, call.older, call.newer
                )
                var page = try await base.messages(in: url, at: anchor, older: older, newer: newer)
                guard case .message(let id) = anchor, older == 3, newer == 0,
                    let message = try await base.lookup([id], in: url).found.first,
                    page.messages.last?.sender?.userID != message.sender?.userID
                else { return page }
                _ = page.messages.popLast()
                return page
            }
        },
        Mistake("sorts the newest first", ["messages.order"]) { backend, base, _ in
            backend.on(CoreCall.Messages.self) { call in
                let (url, anchor, older, newer) = (
                    call.channelURL, call.anchor, call.older, call.newer
                )
                var page = try await base.messages(in: url, at: anchor, older: older, newer: newer)
                if older == 20, newer == 20 { page.messages.reverse() }
                return page
            }
        },
        Mistake("counts a time's own millisecond as older", ["messages.time"]) { backend, base, _ in
            backend.on(CoreCall.Messages.self) { call in
                let (url, anchor, older, newer) = (
                    call.channelURL, call.anchor, call.older, call.newer
                )
                guard case .time(let time) = anchor, time != .distantFuture, time != .distantPast
                else {
                    return try await base.messages(in: url, at: anchor, older: older, newer: newer)
                }
                let next = Timestamp(milliseconds: time.milliseconds + 1)
                return try await base.messages(
                    in: url, at: .time(next), older: older, newer: newer)
            }
        },
        Mistake("returns the newest page for an unknown anchor", ["messages.expired"]) {
            backend, base, _ in
            backend.on(CoreCall.Messages.self) { call in
                let (url, anchor, older, newer) = (
                    call.channelURL, call.anchor, call.older, call.newer
                )
                do {
                    return try await base.messages(in: url, at: anchor, older: older, newer: newer)
                } catch let error as BackendError {
                    guard error.code == .expired, anchor == .message("no-such-message") else {
                        throw error
                    }
                    return try await base.messages(
                        in: url, at: .newest, older: older, newer: newer)
                }
            }
        },
        Mistake("returns an outdated page", ["messages.fresh"]) { backend, base, memory in
            backend.on(CoreCall.Messages.self) { call in
                let (url, anchor, older, newer) = (
                    call.channelURL, call.anchor, call.older, call.newer
                )
                let page = try await base.messages(in: url, at: anchor, older: older, newer: newer)
                guard older == 10 else { return page }
                return memory.use { memory in
                    defer { memory.pages["\(url)"] = page }
                    return memory.pages["\(url)"] ?? page
                }
            }
        },
        Mistake("omits deletions in lookups", ["lookup.all", "delete.gone"]) { backend, base, _ in
            backend.on(CoreCall.Lookup.self) { call in
                let (ids, url) = (call.messageIDs, call.channelURL)
                var answer = try await base.lookup(ids, in: url)
                answer.gone = []
                return answer
            }
        },
        Mistake("uses counts as cursors", ["messages.steady"]) { backend, base, _ in
            backend.on(CoreCall.Messages.self) { call in
                let (url, anchor, older, newer) = (
                    call.channelURL, call.anchor, call.older, call.newer
                )
                let isFromOldest = anchor == .time(.distantPast) && older == 0
                let isFromNewest = anchor == .newest && newer == 0
                var start = 0
                var side = isFromNewest ? "older" : "newer"
                if case .cursor(let cursor) = anchor, cursor.rawValue.contains("#") {
                    let parts = cursor.rawValue.split(separator: "#").map(String.init)
                    (side, start) = (parts[0], Int(parts[1]) ?? 0)
                } else if !isFromOldest && !isFromNewest {
                    return try await base.messages(in: url, at: anchor, older: older, newer: newer)
                }
                var all: [Message] = []
                var rest: PageCursor?
                repeat {
                    let page = try await base.messages(
                        in: url, at: rest.map { .cursor($0) } ?? .newest, older: 100, newer: 0)
                    all = page.messages + all
                    rest = page.older
                } while rest != nil
                if side == "older" { all.reverse() }
                let part = Array(all.dropFirst(start).prefix(max(older, newer)))
                let end = start + part.count
                let next = end < all.count ? PageCursor("\(side)#\(end)") : nil
                guard side == "older" else {
                    return MessagePage(messages: part, older: nil, newer: next)
                }
                return MessagePage(messages: part.reversed(), older: next, newer: nil)
            }
        },
    ]
}

extension PageCursor {
    /// Creates a cursor of `PagingBackend` for the messages before a time.
    fileprivate init(before time: Timestamp) {
        self.init(#"{"includesMessage":false,"seen":[],"time":\#(time)}"#)
    }
}

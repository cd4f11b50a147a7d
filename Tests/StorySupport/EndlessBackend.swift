package import Models
package import Sync

/// A backend that returns empty pages for ever, each with a new cursor.
package final class EndlessBackend: ForwardingBackend {
    package let base: any Backend
    private let isNewer: Bool
    private let pages = Locked(0)

    package init(base: any Backend, isNewer: Bool = false) {
        (self.base, self.isNewer) = (base, isNewer)
    }

    package var pageCount: Int { pages.withLock { $0 } }

    package func messages(
        in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage {
        nextPage()
    }

    package func messages(
        of kinds: MessageKinds, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int
    ) async throws(BackendError) -> MessagePage {
        nextPage()
    }

    package func replies(
        to parentID: MessageID, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int,
        newer: Int
    ) async throws(BackendError) -> MessagePage {
        nextPage()
    }

    private func nextPage() -> MessagePage {
        let number = pages.withLock { count in
            count += 1
            return count
        }
        let next = PageCursor("\(number)")
        return MessagePage(
            messages: [], older: isNewer ? nil : next, newer: isNewer ? next : nil)
    }
}

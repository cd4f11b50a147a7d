import Collections
import Foundation
import Models
import Store
import Sync

struct Overview: Encodable, Sendable {
    var userID: String?
    var nickname: String?
    var connection = "closed"
    var isStored = false
    var allowsActions: Bool
    var masksTexts: Bool
    var canGoOnline = false
    var unreadCount: Int?
    var channelCount: Int?
    var messageCount: Int?
    var outboxCount: Int?
    /// The conditions that need attention: damage, and errors of the store.
    var warnings: [String] = []

    @MainActor
    init(_ inspection: Inspection) async {
        allowsActions = inspection.options.allowsActions
        masksTexts = inspection.options.masksTexts
        guard let client = inspection.client.client else { return }
        userID = client.currentUser?.userID.rawValue
        let mask = TextMask(isOn: masksTexts)
        nickname = client.currentUser.map { mask.shown($0.nickname) }
        isStored = client.isUsingLocalCaching
        unreadCount = client.unreadCount?.groupChannelUnreadMessageCount
        if let error = client.cachingError {
            warnings.append("works in memory: \(mask.shown(error))")
        }
        let damage = client.storageDamage
        if let error = damage.cache {
            warnings.append("the cache is damaged: \(mask.shown(error))")
        }
        if let reason = damage.replacedCache {
            warnings.append("a damaged cache was replaced: \(mask.shown(reason))")
        }
        if damage.outbox != nil { warnings.append("outbox items may have been lost") }
        guard let session = inspection.client.session else { return }
        let state = await session.engine.state
        connection = "\(state.connection)"
        if let failure = state.failure { warnings.append(mask.shown(failure)) }
        canGoOnline = state.connection == .offline
        let counts = try? await onDisk { () throws(StoreError) in
            let snapshot = try session.store.snapshot()
            return (
                try snapshot.groupChannelCount() + snapshot.openChannelCount(),
                try snapshot.messageCount(), try snapshot.outboxItemCount()
            )
        }
        // If the store cannot be read, the warnings say why.
        if let counts { (channelCount, messageCount, outboxCount) = counts }
    }
}

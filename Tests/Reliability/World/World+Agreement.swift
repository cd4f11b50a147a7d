import EmbeddedServer
import Foundation
import Models
import Store
import Sync

extension World {
    /// Restores the network.
    ///
    /// Waits until the device has all messages of the server, and the server all messages of bob.
    ///
    /// - Returns: The calls that were necessary, in addition to `connect`.
    func heal() async throws -> [String] {
        guard let engine, let store else { return [] }
        var calls: [String] = []
        network.stopFailing()
        network.conditions = .perfect
        try await engine.connect(as: Credentials("bob"))
        for url in World.channels { try await engine.caughtUp(url) }
        // A doubtful item's result is known when its attempt has ended and the feed has delivered
        // all messages.
        try await until { try $0.outboxItems().allSatisfy { $0.state == .failed } }
        if try store.outboxItems().contains(where: \.isDoubtful) { try await receiveNewest() }
        for item in try store.outboxItems() where item.state == .failed {
            let text = item.message?.text ?? ""
            // As a user would, check whether the doubtful message was sent.
            let isThere = try store.messages(in: item.channelURL).contains { $0.text == text }
            if item.isDoubtful && isThere {
                try await engine.discardFailedItems([item.requestID])
                calls.append("`discardFailedItems`")
            } else if item.errorCode == .fileDamaged {
                let file = try file(text)
                defer { remove(file) }
                try await engine.resend(item.requestID, replacing: [0: file])
                resent.insert(text)
                calls.append("`resend(_:replacing:)`")
            } else {
                _ = try await engine.resend(item.requestID)
                resent.insert(text)
                calls.append("`resend`")
            }
        }
        try await waitUntilSent()
        for url in World.channels + [World.lounge] {
            guard try store.groupChannel(url) != nil || url != World.lounge else { continue }
            await engine.show(url, ShownRange(from: .beginning), viewer: 1)
            try await until { reader in
                // If the channel was removed, it has no history to wait for.
                if url == World.lounge, try reader.groupChannel(url) == nil { return true }
                return try reader.gaps(in: url).isEmpty && reader.staleRanges(in: url).isEmpty
            }
            await engine.hide(url, viewer: 1)
        }
        try await engine.caughtUp()
        try await waitUntilNotified()
        return Array(Set(calls))
    }

    /// Waits until the device has received the events of all earlier changes.
    private func waitUntilNotified() async throws {
        let url = ChannelURL("news \(nextRequestID())")
        createChannel(url)
        try await until { try $0.groupChannel(url) != nil }
    }

    /// Returns the promises that are broken after all faults were removed.
    func violations() async throws -> [String] {
        guard let store else { return ["there is no store"] }
        var found: [String] = []
        let auditor = server.client()
        _ = try await auditor.connect(as: Credentials("bob"))
        for url in World.channels + [World.lounge] {
            guard let history = try await history(url, by: auditor) else {
                if try store.groupChannel(url) != nil {
                    found.append("\(url) is not there any more")
                }
                continue
            }
            let held = try store.messages(in: url).reversed()
            if held.map(\.messageID) != history.map(\.messageID) {
                found.append(
                    "\(url): the device has \(held.count) messages, the server \(history.count)"
                        + ", or in another order")
            } else if held.map(\.text) != history.map(\.text) {
                found.append("\(url): a message says something else")
            }
            if try !store.gaps(in: url).isEmpty { found.append("\(url): a gap is left") }
            for message in history {
                guard let file = message.file else { continue }
                let bytes = try await auditor.download(file)
                guard bytes != World.fileBytes(message.text) else { continue }
                found.append("\(url): \(message.text) has another file than was sent")
            }
            let texts = history.map(\.text).filter { $0.hasPrefix("bob") }
            // Without deduplication, a doubtful attempt may succeed after the user has resent the
            // message.
            let once = isDeduplicating ? texts : texts.filter { !resent.contains($0) }
            if Set(once).count != once.count { found.append("\(url): \(once) is there twice") }
            // This checks only the order. Failed and resent messages may arrive after later ones,
            // and `lost` counts the messages that the server never received.
            let ordered = promised[url, default: []]
                .filter { !resent.contains($0) && !reported.failed.contains($0) }
            let sent = Set(texts)
            if texts.filter(Set(ordered).contains) != ordered.filter(sent.contains) {
                found.append("\(url): \(ordered) became \(texts)")
            }
        }
        if try !store.outboxItems().isEmpty { found.append("the outbox is not empty") }
        let copies = try? FileManager.default.contentsOfDirectory(
            atPath: device.appending(path: "files").path)
        if copies?.isEmpty == false { found.append("copies of files are left") }
        await auditor.disconnect()
        return found
    }

    /// Returns the number of bob's promised messages that the server does not have.
    func lost() async throws -> Int {
        let auditor = server.client()
        _ = try await auditor.connect(as: Credentials("bob"))
        var count = 0
        for (url, texts) in promised {
            let sent = Set(try await history(url, by: auditor)?.map(\.text) ?? [])
            count += texts.count { !sent.contains($0) }
        }
        await auditor.disconnect()
        return count
    }

    /// Returns the number of messages that the device had stored and does not have any more.
    func unheard() throws -> Int {
        guard let store else { return 0 }
        return try heard.reduce(0) { count, channel in
            try channel.value.reduce(count) {
                try store.message($1, in: channel.key) == nil ? $0 + 1 : $0
            }
        }
    }

    private var isDeduplicating: Bool {
        !server.conditions.missingCapabilities.contains(.deduplicatesRequests)
    }

    /// Waits until the device has the newest message of each channel.
    ///
    /// It then has all earlier events.
    private func receiveNewest() async throws {
        let auditor = server.client()
        _ = try await auditor.connect(as: Credentials("bob"))
        for url in World.channels {
            guard let newest = try await history(url, by: auditor)?.last?.messageID else {
                continue
            }
            try await until { try $0.message(newest, in: url) != nil }
        }
        await auditor.disconnect()
    }

    /// Returns the server's messages of a channel, oldest first, or `nil` if the channel does not
    /// exist.
    private func history(
        _ url: ChannelURL, by auditor: EmbeddedClient
    ) async throws -> [Message]? {
        do {
            return try await auditor.history(of: url)
        } catch {
            guard error.code == .notFound || error.code == .refused else { throw error }
            return nil
        }
    }
}

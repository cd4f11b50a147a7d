import Foundation
import Models
import Store
import Sync

extension BackendConformance {
    static let fileChecks: [ConformanceCheck] = [
        ConformanceCheck("upload.bytes", "upload, send and download a file", needs: .files) {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let request = scene.subject.makeRequestID()
            var random = SeededRandom(seed: 1)
            let bytes = Data((0..<5000).map { _ in UInt8(random.number(below: 256)) })
            var file = UploadableFile()
            file.name = "noise.bin"
            file.mimeType = "application/octet-stream"
            let steps = Steps()
            let info = try await alice.backend.upload(
                file, from: UploadSource(bytes), requestID: request
            ) { progress in
                steps.add(progress.bytesTransferred)
            }
            try expect(!info.url.isEmpty, "the uploaded file has no URL")
            let growing = steps.all
            try expectEqual(growing, growing.sorted(), "the progress")
            var message = Message(type: .file, id: nil, channelURL: url, createdAt: 0)
            message.newMessage = NewMessage(files: [file])
            var item = OutboxItem(message, requestID: request)
            item.setUploadedFile(info, at: 0)
            let sent = try await alice.backend.send(item)
            let found = try await bob.backend.lookup([sent.id], in: url).found.first
            guard let received = found?.file else { throw Broken(text: "the message has no file") }
            let downloaded = try await bob.backend.download(received)
            try expect(
                downloaded == bytes,
                "the downloaded file has \(downloaded.count) bytes and is not equal to the uploaded one of \(bytes.count) bytes"
            )
        }
    ]

    static let receiptChecks: [ConformanceCheck] = [
        ConformanceCheck("read.reported", "mark a channel as read", needs: .readReceipts) { scene in
            let (alice, bob, url) = try await scene.pair()
            var reading = FeedReading(alice, since: try await alice.tip())
            var readersFeed = FeedReading(bob, since: try await bob.tip())
            let message = try await alice.send("hello", in: url)
            if bob.can(.unreadCounts) { try await readersFeed.awaitUnreadCount(1, in: url) }
            try await bob.backend.perform(MarkAsRead(url))
            try await reading.await("the read receipt", else: nil) {
                guard case .read(by: bob.userID, in: url, at: let time) = $0 else { return false }
                return time >= message.createdAt
            }
            if bob.can(.unreadCounts) { try await readersFeed.awaitUnreadCount(0, in: url) }
        },
        ConformanceCheck(
            "delivered.reported", "mark messages as delivered", needs: .deliveryReceipts
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            var reading = FeedReading(alice, since: try await alice.tip())
            let message = try await alice.send("hello", in: url)
            try await bob.backend.perform(MarkAsDelivered(url))
            try await reading.await("the delivery receipt", else: nil) {
                guard case .delivered(to: bob.userID, in: url, at: let time) = $0 else {
                    return false
                }
                return time >= message.createdAt
            }
        },
        ConformanceCheck("typing.reported", "start and stop typing", needs: .typing) { scene in
            let (alice, bob, url) = try await scene.pair()
            var reading = FeedReading(alice, since: try await alice.tip())
            for isTyping in [true, false] {
                try await bob.backend.perform(SetTyping(isTyping, in: url))
                try await reading.await(
                    isTyping ? "the start of typing" : "the end of typing", else: nil
                ) {
                    guard case .typing(let users, in: url) = $0 else { return false }
                    return users.contains { $0.userID == bob.userID } == isTyping
                }
            }
        },
    ]

    private final class Steps: Sendable {
        private let list = Locked<[Int]>([])
        func add(_ step: Int) { list.withLock { $0.append(step) } }
        var all: [Int] { list.withLock { $0 } }
    }
}

extension FeedReading {
    fileprivate mutating func awaitUnreadCount(_ count: Int, in url: ChannelURL) async throws {
        try await self.await("the unread count \(count)", else: nil) { event in
            guard case .channel(let update) = event, update.channelURL == url,
                update.patch.contains(\.unreadMessageCount)
            else { return false }
            var channel = GroupChannel()
            update.patch.apply(to: &channel)
            return channel.unreadMessageCount == count
        }
    }
}

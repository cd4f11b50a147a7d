import Models
import Sync

extension BackendConformance {
    static let writeChecks: [ConformanceCheck] = [
        ConformanceCheck("update.version", "edit a message several times") { scene in
            let (alice, bob, url) = try await scene.pair()
            let message = try await alice.send("0", in: url)
            var version = message.version
            for number in 1...4 {
                let edited = try await alice.edit(message, "\(number)")
                try expectEqual(edited.position, message.position, "the position of an edit")
                guard let updatedAt = edited.updatedAt else {
                    throw Broken(text: "an edited message has no updatedAt")
                }
                try expect(
                    updatedAt > version,
                    "the updatedAt of an edit is not later than the previous one: \(updatedAt), \(version)"
                )
                version = updatedAt
            }
        },
        ConformanceCheck("update.absent", "change one property at a time") { scene in
            let (alice, bob, url) = try await scene.pair()
            var params = NewMessage("hello")
            params.data = "data"
            params.customType = "greeting"
            params.metaArrays = [MetaArray(key: "mood", values: ["sunny"])]
            let message = try await alice.send(params, in: url)
            var text = UserMessageUpdateParams()
            text.text = "hello again"
            var data = UserMessageUpdateParams()
            data.data = ""
            var type = UserMessageUpdateParams()
            type.customType = "farewell"
            let keepsData = scene.keeps("data")
            let keepsType = scene.keeps("custom_type")
            let metaArrays = scene.keeps("sorted_metaarray") ? params.metaArrays : []
            var expected = ["hello", keepsData ? "data" : "", keepsType ? "greeting" : ""]
            for (index, update, value) in [
                (0, text, "hello again"), (1, data, ""), (2, type, "farewell"),
            ] {
                guard index == 0 || (index == 1 ? keepsData : keepsType) else { continue }
                expected[index] = value
                let edited = try await alice.edit(message, update)
                let found = try await bob.backend.lookup([message.id], in: url).found
                for message in [edited] + found {
                    let values = [message.text, message.data, message.customType]
                    try expectEqual(values, expected, "text, data and type after \(update)")
                    try expectEqual(message.metaArrays, metaArrays, "the meta arrays")
                    try expectEqual(message.sender?.userID, alice.userID, "the sender")
                }
            }
        },
        ConformanceCheck("update.owner", "edit another user's message") { scene in
            let (alice, bob, url) = try await scene.pair()
            for (author, other) in [(alice, bob), (bob, alice)] {
                let message = try await author.send("mine", in: url)
                let before = try await author.backend.lookup([message.id], in: url).found
                try await expectFailure(.refused, of: "an edit of another user's message") {
                    try await other.edit(message, "not mine")
                }
                let found = try await author.backend.lookup([message.id], in: url).found
                try expectEqual(found, before, "the message afterwards")
            }
        },
        ConformanceCheck("delete.gone", "delete a message, and check that no call returns it") {
            scene in
            let (alice, bob, url) = try await scene.pair()
            var left = try await alice.send(4, in: url).inOrder
            let last = try left[3].id
            for index in [3, 1] {
                let message = left.remove(at: index)
                try await alice.delete(message)
                for device in [alice, bob] {
                    try expectEqual(try await device.history(url).ids, left.ids, "the history")
                    let answer = try await device.backend.lookup([message.id], in: url)
                    try expectEqual(
                        answer.gone, [try message.id], "the ids that a lookup reports as gone")
                    try expect(
                        answer.found.isEmpty,
                        "a lookup finds the deleted message: \(answer.found.map(\.shown))")
                    guard device.can(.counts) else { continue }
                    let count = try await device.backend.perform(
                        CountMessages(in: url, from: nil, to: nil))
                    try expectEqual(count, left.count, "the count")
                }
            }
            let shown = try await bob.backend.channel(url).lastMessage?.messageID
            try expect(shown != last, "the deleted message is still the channel's last message")
        },
        ConformanceCheck("delete.owner", "delete another user's message") { scene in
            let (alice, bob, url) = try await scene.pair()
            let message = try await alice.send("mine", in: url)
            try await expectFailure(.refused, of: "a deletion by another user") {
                try await bob.delete(message)
            }
            try expectEqual(try await alice.history(url).ids, [message].ids, "the history")
        },
        ConformanceCheck("delete.twice", "delete a message twice, and delete an unknown message") {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let message = try await alice.send("hello", in: url)
            try await alice.delete(message)
            try await expectFailure(.notFound, of: "a second deletion") {
                try await alice.delete(message)
            }
            var none = message
            none.messageID = "no-such-message"
            try await expectFailure(.notFound, of: "the deletion of an unknown message") { [none] in
                try await alice.delete(none)
            }
        },
    ]

    static let reactionChecks: [ConformanceCheck] = [
        ConformanceCheck("react.idempotent", "add and remove a reaction twice", needs: .reactions) {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let message = try await alice.send("hello", in: url)
            for _ in 0..<2 { try await bob.react(.add, with: "+1", to: message) }
            try await alice.react(.add, with: "+1", to: message)
            var reactions = try await alice.backend.lookup([message.id], in: url).found[0].reactions
            try expectEqual(
                reactions.map { $0.userIDs.sorted() }, [[alice.userID, bob.userID].sorted()],
                "the reacting users")
            for _ in 0..<2 { try await bob.react(.delete, with: "+1", to: message) }
            reactions = try await alice.backend.lookup([message.id], in: url).found[0].reactions
            try expectEqual(
                reactions.map(\.userIDs), [[alice.userID]], "the reacting users after the removal")
        },
        ConformanceCheck(
            "reactions.all", "react to two of three messages, and request the reactions",
            needs: [.reactions, .separateReactions]
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            let messages = try await alice.send(3, in: url)
            let ids = try messages.map { try $0.id }
            try await alice.react(.add, with: "+1", to: messages[0])
            try await bob.react(.add, with: "+1", to: messages[0])
            try await bob.react(.add, with: "-1", to: messages[0])
            try await bob.react(.add, with: "+1", to: messages[2])
            func found() async throws -> [[String]] {
                let unknown = MessageID("no-such-message")
                let answer = try await alice.backend.reactions(of: ids + [unknown], in: url)
                try expect(answer[unknown] == nil, "the answer contains an unknown message")
                return ids.map { id in
                    (answer[id] ?? []).filter(\.isHeld)
                        .map { "\($0.key) \($0.userIDs.sorted())" }.sorted()
                }
            }
            let both = [alice.userID, bob.userID].sorted()
            try expectEqual(
                try await found(),
                [["+1 \(both)", "-1 \([bob.userID])"], [], ["+1 \([bob.userID])"]],
                "the reactions")
            try await bob.react(.delete, with: "+1", to: messages[0])
            try await bob.react(.delete, with: "+1", to: messages[2])
            try expectEqual(
                try await found(), [["+1 \([alice.userID])", "-1 \([bob.userID])"], [], []],
                "the reactions after the removal")
        },
        ConformanceCheck("react.version", "add and remove reactions alternately", needs: .reactions)
        { scene in
            let (alice, bob, url) = try await scene.pair()
            let message = try await alice.send("hello", in: url)
            var time = Timestamp.distantPast
            for (device, action) in [
                (alice, ReactionEventAction.add), (bob, .add), (alice, .delete), (bob, .delete),
            ] {
                let event = try await device.react(action, with: "+1", to: message)
                try expectEqual(event.userID, device.userID, "the reacting users")
                try expectEqual(event.operation, action, "the operation")
                try expect(
                    event.updatedAt > time,
                    "the time of a reaction is not later than that of the previous one: \(event.updatedAt), \(time)"
                )
                time = event.updatedAt
            }
        },
    ]
}

import Foundation
import Testing

@testable import Models

@Suite struct PatchTests {
    static let channel: GroupChannel = {
        var channel = GroupChannel(url: "c", name: "General", createdAt: 1_700_000_000_000)
        channel.metadata = ["topic": "all"]
        channel.isFrozen = true
        channel.unreadMessageCount = 3
        channel.hiddenState = .hiddenPreventAutoUnhide
        channel.extra = ["x": 1, "y": 2]
        return channel
    }()

    private func patched(_ json: String) throws -> GroupChannel {
        var channel = Self.channel
        try JSONDecoder().decode(Patch<GroupChannel>.self, from: Data(json.utf8)).apply(
            to: &channel)
        return channel
    }

    @Test func updateKeepsFieldsItDoesNotHave() throws {
        var expected = Self.channel
        #expect(try patched("{}") == expected)
        expected.name = "New"
        #expect(try patched(#"{"name":"New"}"#) == expected)
    }

    @Test func updateRemovesFieldsThatItClears() throws {
        var expected = Self.channel
        expected.metadata = [:]
        #expect(try patched(#"{"metadata":null}"#) == expected)
        #expect(try patched(#"{"metadata":{}}"#) == expected)
        expected = Self.channel
        expected.isFrozen = false
        expected.unreadMessageCount = 0
        #expect(try patched(#"{"freeze":false,"unread_message_count":0}"#) == expected)
    }

    @Test func nonzeroDefaultIsPatchedToo() throws {
        var user = User(id: "ann")
        user.isActive = false
        let patch = try JSONDecoder().decode(
            Patch<User>.self, from: Data(#"{"is_active":true}"#.utf8))
        patch.apply(to: &user)
        #expect(user == User(id: "ann"))
    }

    @Test func olderKeyForHiddenIsRead() throws {
        #expect(try patched(#"{"is_hidden":false}"#).hiddenState == .unhidden)
        #expect(try patched(#"{"is_hidden":true}"#).isHidden)
    }

    @Test func unknownKeysAreMerged() throws {
        #expect(try patched(#"{"y":3,"z":null}"#).extra == ["x": 1, "y": 3, "z": nil])
    }

    @Test func patchesAreMadeByNamingProperties() throws {
        var patch = Patch<GroupChannel>()
        #expect(patch.isEmpty)
        patch.set(\.name, to: "New")
        patch.set(\.unreadMessageCount, to: 0)
        #expect(patch.contains(\.name) && patch.contains(\.unreadMessageCount))
        #expect(!patch.contains(\.metadata))
        var channel = Self.channel
        patch.apply(to: &channel)
        #expect(channel.name == "New")
        #expect(channel.unreadMessageCount == 0)
        #expect(channel.metadata == ["topic": "all"])

        patch.set(\.unreadMessageCount, to: 5)
        patch.apply(to: &channel)
        #expect(channel.unreadMessageCount == 5)
    }

    @Test func patchDescriptionListsItsChanges() {
        var patch = Patch<GroupChannel>()
        patch.set(\.name, to: "x")
        patch.set(\.data, to: "")
        #expect(patch.description == #"Patch<GroupChannel>(name: "x", data: nil)"#)
    }

    @Test func patchesSurviveJSON() throws {
        var patch = Patch<GroupChannel>()
        patch.set(\.name, to: "New")
        patch.set(\.lastMessage, to: nil)
        patch.set(\.isCurrentUserMuted, to: true)
        let json = try JSONEncoder().encode(patch)
        #expect(try JSONDecoder().decode(Patch<GroupChannel>.self, from: json) == patch)
    }

    /// Tests that a patch of one field changes this field and nothing else, for every field of
    /// every type.
    @Test(arguments: RecordTests.types)
    func everyFieldCanBePatched(_ type: TypeOfRecord) throws {
        func check<Root: Record>(_: Root.Type) throws {
            for field in type.schema.fields where field.number != Field.extra.number {
                var generated = GeneratedRecord(seed: field.number)
                let before = try Root(serialized: generated.bytes(type.schema))
                let other = try Root(serialized: generated.bytes(type.schema, only: [field.number]))
                func check<Value: FieldValue>(_: Value.Type) throws {
                    let property = try #require(field.keyPath as? WritableKeyPath<Root, Value>)
                    for source in [other, Root()] {
                        var patch = Patch<Root>()
                        patch.set(property, to: source[keyPath: property])
                        var (patched, expected) = (before, before)
                        patch.apply(to: &patched)
                        expected[keyPath: property] = source[keyPath: property]
                        #expect(patched == expected)
                    }
                }
                try check(field.propertyType)
            }
        }
        try check(type.root)
    }

    @Test func computedPropertyCannotBePatched() async {
        await #expect(processExitsWith: .failure) {
            var patch = Patch<Message>()
            patch.set(\.reactions, to: [])
        }
    }

    @Test func patchOfAWholeRecordMakesAnotherOneEqual() {
        var view = GroupChannel(url: "c", name: "n", createdAt: 1)
        view.memberCount = 2
        var known = GroupChannel(url: "c", name: "old", createdAt: 1)
        known.data = "gone"
        known.lastMessage = Message(id: "1", channelURL: "c", createdAt: 1)
        known.lastSyncedChangelogAt = 7
        Patch(whole: view, except: [\.lastSyncedChangelogAt]).apply(to: &known)
        view.lastSyncedChangelogAt = 7
        #expect(known == view)
    }
}

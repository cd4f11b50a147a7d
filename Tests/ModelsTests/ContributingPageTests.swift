import Foundation
import ScrollbackTestSupport
import Testing

@testable import Models

/// The example of a new field in CONTRIBUTING.md, in the form in which a channel would declare it.
private struct Room: Record {
    var fields = RecordFields<Room>()

    static let schema = Schema("Room", [Field(58, "is_invite_only", \Room.isInviteOnly)])

    /// A Boolean value that indicates whether only invited users may join.
    public var isInviteOnly: Bool {
        get { self[58] }
        set { self[58] = newValue }
    }
}

@Suite struct ContributingPageTests {
    @Test func aNewFieldIsAPropertyAndALineOfTheSchema() throws {
        var room = Room()
        #expect(room.serializedBytes == [] && !room.isInviteOnly)
        room.isInviteOnly = true
        #expect(try Room(serialized: room.serialize()) == room)
        let json = String(decoding: try JSONEncoder().encode(room), as: UTF8.self)
        #expect(json == #"{"is_invite_only":true}"#)
        #expect(try JSONDecoder().decode(Room.self, from: Data(json.utf8)) == room)
    }

    @Test func fieldNumberInTheExampleIsTheNextFreeOne() throws {
        // Field 100 and higher fields have no name in this version.
        let numbers = GroupChannel.schema.fields.map(\.number).filter { $0 < 100 }
        #expect(numbers.max() == 57)
        let page = try String(
            contentsOf: Repository.root.appending(path: "CONTRIBUTING.md"), encoding: .utf8)
        #expect(page.contains(#"`Field(58, "is_invite_only", \GroupChannel.isInviteOnly)`"#))
    }
}

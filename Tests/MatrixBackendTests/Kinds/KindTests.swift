import Foundation
import MatrixBackend
import Models
import Sync
import Testing

/// Checks the kinds without a homeserver: with the recorded replies of one.
///
/// With `SCROLLBACK_RECORD=1`, `make test-matrix` records them again.
@Suite struct KindTests {
    @Test func namesOfKindsAreUnique() {
        #expect(Set(Kinds.all.map(\.name)).count == Kinds.all.count)
    }

    @Test func recordedRepliesShowWhatEachKindMustShow() async throws {
        let recording = try KindRecording()
        let user = try #require(recording.users["@alice"])
        let server = PreparedReplies()
        for reply in recording.replies {
            server.reply(reply.request, reply.body.description, status: reply.status)
        }
        server.reply("GET account/whoami", #"{"user_id": "\#(user)"}"#)
        var options = MatrixBackend.Options()
        options.transport = server
        let backend = MatrixBackend(
            homeserver: URL(string: "https://localhost")!, deviceID: "PHONE", options: options)
        _ = try await backend.connect(as: Credentials(UserID(user), accessToken: "token"))
        let names = Dictionary(
            uniqueKeysWithValues: recording.users.map { ($0.value, String($0.key.dropFirst())) })
        // A space is not in the list of channels, but the backend returns it.
        for kind in Kinds.all where kind.name != "space" {
            let ids = try #require(recording.rooms[kind.name], "record the kinds again")
            let room = KindRoom(kind: kind, ids: ids)
            let pictures = try await KindPictures(of: room, from: backend, names: names)
            #expect(pictures.faults(of: kind) == [], "\(kind.name)")
        }
    }
}

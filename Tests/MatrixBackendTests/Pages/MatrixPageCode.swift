import Foundation
import MatrixBackend
import Models
import Testing

/// The code of Docs/Matrix.md and of the DocC page, verbatim.
@Suite struct MatrixPageCode {
    @Test func backendOfALocalServerDeclaresWhatMatrixHas() {
        let backend = MatrixBackend(
            homeserver: URL(string: "http://127.0.0.1:8008")!, deviceID: "PHONE",
            login: .password("secret"))
        #expect(backend.capabilities.contains([.reactions, .threads, .invitations]))
        #expect(!backend.capabilities.contains(.channelDeletion))
    }

    @Test func backendOfAPublicServerDeclaresTheSame() {
        let backend = MatrixBackend(
            homeserver: URL(string: "https://matrix.example.org")!, deviceID: "PHONE",
            login: .password("secret"))
        #expect(backend.capabilities.contains(.deduplicatesRequests))
        #expect(!backend.capabilities.contains(.deduplicatesAcrossDevices))
    }
}

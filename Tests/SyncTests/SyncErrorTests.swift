import Models
import Testing

@testable import Sync

@Suite struct SyncErrorTests {
    private static let codes: [(BackendError.Code, SyncError.Code)] = [
        (.notConnected, .notConnected), (.unanswered, .notConnected), (.canceled, .canceled),
        (.throttled, .throttled), (.serverFailure, .serverFailure), (.notFound, .notFound),
        (.sessionExpired, .sessionEnded), (.sessionRevoked, .sessionEnded),
        (.unsupported, .unsupported), (.refused, .refused), (.expired, .refused),
    ]

    @Test(arguments: codes)
    func backendErrorsHaveCodes(_ code: BackendError.Code, _ expected: SyncError.Code) {
        let error = SyncError(BackendError(code, "it failed"))
        #expect(error.code == expected)
        #expect(error.code.isServerError == ![.notConnected, .canceled].contains(expected))
    }

    @Test func errorsOfTheDeviceAreNotBackendErrors() {
        let codes: [SyncError.Code] = [
            .stalled, .notPermitted, .invalidArgument, .invalidFile, .otherUser, .store, .closed,
            .canceled, .notStarted, .queryInProgress, .disposed,
        ]
        #expect(codes.filter(\.isServerError) == [])
        #expect(codes.filter(\.isEnd) == [.closed, .canceled])
    }
}

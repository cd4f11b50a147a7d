public import Foundation
public import Models
import Store
import Sync

/// Why a collection did not do what it was asked.
public struct CollectionError: LocalizedError {
    /// What kind of failure it is, for code to decide by.
    public let code: Code

    /// What went wrong, for people to read; it names the thing that it happened to.
    public let message: String

    /// What the engine or the store said, if it was one of them.
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension CollectionError {
    /// A kind of failure.
    ///
    /// Later versions may add kinds, so a `switch` over them needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case notStarted, queryInProgress, disposed, notConnected, refused, store, canceled
        }

        private let value: Value

        /// The collection was not started yet.
        public static let notStarted = Code(value: .notStarted)

        /// The same is being done already.
        public static let queryInProgress = Code(value: .queryInProgress)

        /// The collection was disposed of.
        public static let disposed = Code(value: .disposed)

        /// There is no connection, and what was asked needs one.
        public static let notConnected = Code(value: .notConnected)

        /// The server does not do it; the cause says why.
        public static let refused = Code(value: .refused)

        /// The store failed; the cause says how.
        public static let store = Code(value: .store)

        /// The task that asked was canceled, or the user disconnected.
        public static let canceled = Code(value: .canceled)

        /// The name of the code, such as `notConnected`.
        public var description: String { value.rawValue }

        /// The number that chat SDKs give such a failure.
        public var number: ErrorCode {
            switch value {
            case .notStarted: .invalidInitialization
            case .queryInProgress: .queryInProgress
            case .disposed: .collectionDisposed
            case .notConnected: .connectionRequired
            case .refused: .requestFailed
            case .store: .localDatabaseError
            case .canceled: .connectionCanceled
            }
        }
    }
}

extension CollectionError {
    /// The failure of something that the engine was asked for.
    init(_ error: SyncError) {
        let code: Code =
            switch error.code {
            case .notConnected: .notConnected
            case .store: .store
            case .closed, .canceled: .canceled
            default: .refused
            }
        self.init(code, error.message, cause: error)
    }

    /// The failure of a read.
    init(_ error: StoreError) { self.init(.store, error.message, cause: error) }

    static func disposed(_ what: String) -> CollectionError {
        CollectionError(.disposed, "the collection of \(what) was disposed of")
    }

    /// The same as ``description``, for those who ask an error without knowing its type.
    public var errorDescription: String? { description }
}

extension CollectionError: CustomStringConvertible {
    /// Code and message in one line, and what the cause behind them says beyond that.
    public var description: String { .line("\(code)", message, because: cause) }
}

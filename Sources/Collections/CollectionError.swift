public import Foundation
public import Models
import Store
import Sync

/// An error of a collection.
public struct CollectionError: LocalizedError {
    /// The kind of failure, for use in code.
    public let code: Code

    /// A description of the failure for people to read.
    ///
    /// It names the thing that the call was about.
    public let message: String

    /// The error of the engine or the store that caused the failure, if there is one.
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
    /// Later versions may add codes: a `switch` over them needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case notStarted, queryInProgress, disposed, notConnected, refused, store, canceled
        }

        private let value: Value

        /// The collection has not been started.
        public static let notStarted = Code(value: .notStarted)

        /// The same operation is already in progress.
        public static let queryInProgress = Code(value: .queryInProgress)

        /// The collection was disposed.
        public static let disposed = Code(value: .disposed)

        /// The operation needs a connection, and there is none.
        public static let notConnected = Code(value: .notConnected)

        /// The server refused the request.
        ///
        /// The cause has the reason.
        public static let refused = Code(value: .refused)

        /// The store failed.
        ///
        /// The cause has the reason.
        public static let store = Code(value: .store)

        /// The calling task was canceled, or the user disconnected.
        public static let canceled = Code(value: .canceled)

        /// The name of the code, such as `notConnected`.
        public var description: String { value.rawValue }

        /// The corresponding error number of chat SDKs.
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
    /// Creates the error for a failed request to the engine.
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

    /// Creates the error for a failed read.
    init(_ error: StoreError) { self.init(.store, error.message, cause: error) }

    static func disposed(_ what: String) -> CollectionError {
        CollectionError(.disposed, "the collection of \(what) was disposed")
    }

    /// The same text as ``description``, for code that handles any `Error`.
    public var errorDescription: String? { description }
}

extension CollectionError: CustomStringConvertible {
    /// The code and the message in one line, with the additional information of the cause.
    public var description: String { .line("\(code)", message, because: cause) }
}

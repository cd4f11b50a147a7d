import Crypto
import Foundation

/// A key of 256 bits, without which the files of a store cannot be read.
///
/// The app keeps it: in the keychain, or wherever the system keeps what is secret. Nobody can help who
/// has lost it. The files are sealed with AES-GCM, under keys that are random and lie beside them, sealed under
/// this one; so changing it writes one small file.
///
/// The bytes are never shown: not by `print`, not in an error, not by the debugger's summary. They
/// are overwritten when the last copy of the value goes, as far as this process knows them: copies that the
/// app made, what the system has paged out, and what the compiler has kept in between are not.
public struct EncryptionKey: Sendable {
    /// How many bytes a key has.
    public static let byteCount = 32

    let key: SymmetricKey

    /// Creates a key of bytes that nobody can foretell.
    public init() { key = SymmetricKey(size: .bits256) }

    /// Takes bytes for a key; `nil` unless there are 32.
    ///
    /// They have to be random. A passphrase is not: make a key of it with a function that is slow on
    /// purpose, such as scrypt or Argon2.
    ///
    /// - Parameter bytes: The bytes, which are copied.
    public init?(_ bytes: some Sequence<UInt8>) {
        var bytes = Array(bytes)
        defer { bytes.withUnsafeMutableBytes { $0.overwrite() } }
        guard bytes.count == Self.byteCount else { return nil }
        key = SymmetricKey(data: bytes)
    }

    /// Lends the bytes to a closure, for the app to put them where it keeps them.
    ///
    /// What the closure copies is the app's to overwrite.
    public func withUnsafeBytes<Result, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var result: Swift.Result<Result, Failure>?
        key.withUnsafeBytes { bytes in
            do throws(Failure) {
                result = .success(try body(bytes))
            } catch {
                result = .failure(error)
            }
        }
        // The closure above was called.
        return try result!.get()
    }
}

extension EncryptionKey: Equatable {
    /// Whether the keys are the same, found in a time that does not depend on where they differ.
    public static func == (one: EncryptionKey, other: EncryptionKey) -> Bool {
        one.key == other.key
    }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the type, and nothing of the key.
    public var description: String { "EncryptionKey" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror that shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension UnsafeMutableRawBufferPointer {
    /// Writes zeros in a way that the compiler does not leave out.
    func overwrite() {
        guard let baseAddress else { return }
        #if canImport(Darwin)
            memset_s(baseAddress, count, 0, count)
        #else
            explicit_bzero(baseAddress, count)
        #endif
    }
}

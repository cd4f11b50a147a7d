import Crypto
import Foundation

/// A 256-bit key that encrypts the files of a store.
///
/// The app stores the key, for example in the keychain. Without the key, the data cannot be
/// recovered. The files are encrypted with AES-GCM under random keys. A small file next to them
/// contains the random keys, encrypted with this key. Changing this key therefore rewrites only
/// that small file.
///
/// `print`, errors and debugger summaries never show the bytes. When the last copy of the value is
/// released, the bytes are overwritten. Copies that the app or the compiler has made, and memory
/// that the system has swapped out, are not overwritten.
public struct EncryptionKey: Sendable {
    /// The number of bytes of a key.
    public static let byteCount = 32

    let key: SymmetricKey

    /// Creates a random key.
    public init() { key = SymmetricKey(size: .bits256) }

    private init(key: SymmetricKey) { self.key = key }

    /// Creates a key from a copy of 32 bytes; returns `nil` for any other number of bytes.
    ///
    /// The bytes must be random. Do not use a passphrase directly: derive a key from it with a
    /// function that is deliberately slow, such as scrypt or Argon2.
    public init?(_ bytes: some Sequence<UInt8>) {
        var bytes = Array(bytes)
        defer { bytes.withUnsafeMutableBytes { $0.overwrite() } }
        guard bytes.count == Self.byteCount else { return nil }
        key = SymmetricKey(data: bytes)
    }

    /// Returns the key for a purpose, such as one of several directories.
    ///
    /// Without this key, a key of another purpose tells nothing about it, and two directories with
    /// keys of different purposes cannot be exchanged: opening them throws `wrongKey`. The same key
    /// and purpose always give the same result, so the app has to keep only one key. The key is
    /// derived with HKDF-SHA256 (RFC 5869).
    ///
    /// ```swift
    /// let drafts = try FileCache(directory: url, encryptionKey: key.derived(for: "drafts of alice"))
    /// ```
    ///
    /// - Parameter purpose: A name of the purpose. It is not secret, and must not change: data of
    ///   the former purpose cannot be read with the new one.
    /// - Returns: Another key of 32 bytes.
    public func derived(for purpose: String) -> EncryptionKey {
        EncryptionKey(
            key: HKDF<SHA256>.deriveKey(
                inputKeyMaterial: key, info: Data("scrollback purpose \(purpose)".utf8),
                outputByteCount: Self.byteCount))
    }

    /// Calls a closure with the bytes, so that the app can store them.
    ///
    /// The app is responsible for overwriting its copies.
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
        // The result exists, because the closure above was called.
        return try result!.get()
    }
}

extension EncryptionKey: Equatable {
    /// Returns a Boolean value that indicates whether the keys are equal, in constant time.
    public static func == (one: EncryptionKey, other: EncryptionKey) -> Bool {
        one.key == other.key
    }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the type, without the key.
    public var description: String { "EncryptionKey" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension UnsafeMutableRawBufferPointer {
    /// Writes zeros in a way that the compiler does not optimize away.
    func overwrite() {
        guard let baseAddress else { return }
        #if canImport(Darwin)
            memset_s(baseAddress, count, 0, count)
        #else
            explicit_bzero(baseAddress, count)
        #endif
    }
}

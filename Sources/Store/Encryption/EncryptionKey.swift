import Crypto
import Foundation

/// A 256-bit key that encrypts the files of a store.
///
/// The app stores the key, for example in the keychain; without it, the data cannot be recovered.
/// The key encrypts a small file with random keys, which encrypt the other files with AES-GCM.
///
/// `print`, errors and debugger summaries never show the bytes. They are overwritten when the last
/// copy of the value is released, except in other copies and swapped memory.
public struct EncryptionKey: Sendable {
    /// The number of bytes of a key.
    public static let byteCount = 32

    let key: SymmetricKey

    /// Creates a random key.
    public init() { key = SymmetricKey(size: .bits256) }

    private init(key: SymmetricKey) { self.key = key }

    /// Creates a key from a copy of 32 bytes; returns `nil` for any other number of bytes.
    ///
    /// The bytes must be random. Derive a key from a passphrase with a deliberately slow function,
    /// such as scrypt or Argon2.
    public init?(_ bytes: some Sequence<UInt8>) {
        var bytes = Array(bytes)
        defer { bytes.withUnsafeMutableBytes { $0.overwrite() } }
        guard bytes.count == Self.byteCount else { return nil }
        key = SymmetricKey(data: bytes)
    }

    /// Returns the key for a purpose, such as one of several directories.
    ///
    /// A derived key reveals nothing about this key or other purposes. Directories with keys of
    /// different purposes cannot be exchanged: opening them throws `wrongKey`. The same key and
    /// purpose always give the same result (HKDF-SHA256, RFC 5869), so the app has to keep only one
    /// key.
    ///
    /// ```swift
    /// let drafts = try FileCache(
    ///     directory: url, encryptionKey: key.derived(for: "drafts of alice"))
    /// ```
    ///
    /// - Parameter purpose: A name, which is not secret; after a change, earlier data cannot be
    ///   read.
    /// - Returns: The derived key.
    public func derived(for purpose: String) -> EncryptionKey {
        EncryptionKey(
            key: HKDF<SHA256>.deriveKey(
                inputKeyMaterial: key, info: Data("scrollback purpose \(purpose)".utf8),
                outputByteCount: Self.byteCount))
    }

    /// Calls a closure with the bytes, for storing them; the app has to overwrite its copies.
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
    /// Compares the keys in constant time.
    public static func == (one: EncryptionKey, other: EncryptionKey) -> Bool {
        one.key == other.key
    }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the type.
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

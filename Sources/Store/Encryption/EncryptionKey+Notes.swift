import Crypto
package import Foundation

// Encryption of small files outside of stores. Each file is read and written as a whole.
extension EncryptionKey {
    /// Encrypts bytes for a purpose.
    ///
    /// They can be decrypted only with the same purpose.
    package func seal(_ bytes: some DataProtocol, for purpose: String) -> Data? {
        // `combined` is never `nil` for a nonce of the default size.
        try? AES.GCM.seal(bytes, using: derived(purpose)).combined
    }

    /// Decrypts the output of ``seal(_:for:)`` with the same key and purpose; `nil` for any other
    /// bytes.
    package func open(_ sealed: Data, for purpose: String) -> Data? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
        return try? AES.GCM.open(box, using: derived(purpose))
    }

    private func derived(_ purpose: String) -> SymmetricKey {
        key.derived(salt: Data(), purpose: Array("scrollback note 1\n\(purpose)".utf8)).key
    }
}

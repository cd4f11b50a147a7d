import Crypto
package import Foundation

extension EncryptionKey {
    /// Encrypts bytes, which can be decrypted only with the same purpose.
    package func seal(_ bytes: some DataProtocol, for purpose: String) -> Data? {
        // `combined` is never `nil` for a nonce of the default size.
        try? AES.GCM.seal(bytes, using: derived(purpose)).combined
    }

    /// Returns `nil` unless the bytes were encrypted with the same key and purpose.
    package func open(_ sealed: Data, for purpose: String) -> Data? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
        return try? AES.GCM.open(box, using: derived(purpose))
    }

    private func derived(_ purpose: String) -> SymmetricKey {
        key.derived(salt: Data(), purpose: Array("scrollback note 1\n\(purpose)".utf8)).key
    }
}

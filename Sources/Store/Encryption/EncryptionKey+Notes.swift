import Crypto
package import Foundation

// Small files that lie outside of any store, each read and written as a whole.
extension EncryptionKey {
    /// Encrypts some bytes for a purpose, which they have to be read for.
    package func seal(_ bytes: some DataProtocol, for purpose: String) -> Data? {
        // A nonce of the usual size always gives the combined form.
        try? AES.GCM.seal(bytes, using: derived(purpose)).combined
    }

    /// Reads what ``seal(_:for:)`` has written with this key; `nil` if it is something else.
    package func open(_ sealed: Data, for purpose: String) -> Data? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
        return try? AES.GCM.open(box, using: derived(purpose))
    }

    private func derived(_ purpose: String) -> SymmetricKey {
        key.derived(salt: Data(), purpose: Array("scrollback note 1\n\(purpose)".utf8)).key
    }
}

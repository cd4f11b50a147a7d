import CScrollbackLevelDB
import Foundation
import Testing

@testable import Store

/// Tests that the nonces of an encrypted table's pages are those that Docs/Format.md defines.
@Suite struct SealedTableTests {
    @Test(
        arguments: [
            (0, false, "00 00 00 00 00 00 00 00 00 00 00 00"),
            (0, true, "00 00 00 00 00 00 00 00 00 00 00 01"),
            (1, false, "00 00 00 00 00 00 00 00 00 00 01 00"),
            (0x100, false, "00 00 00 00 00 00 00 00 00 01 00 00"),
            (0x01_0204, true, "00 00 00 00 00 00 00 00 01 02 04 01"),
            (.max, false, "00 00 00 ff ff ff ff ff ff ff ff 00"),
        ] as [(UInt64, Bool, String)])
    func nonceIsThePageNumberAndTheLastMark(page: UInt64, isLast: Bool, golden: String) {
        #expect(nonce(page, isLast).digits == golden)
    }

    @Test func pagesOfATableAreSealedWithTheirNonces() throws {
        let directory = try StoreDirectory()
        let path = directory.url.appending(path: "000005.ldb")
        // The file has 257 full pages, and a last page of five bytes.
        try Data(count: 257 * 4096 + 5).write(to: path)
        let recorder = NonceRecorder()
        withExtendedLifetime(recorder) {
            var cipher = recorder.functions
            let environment = scrollback_env_create_sealed(nil, &cipher, "cache")
            defer { scrollback_env_destroy(environment) }
            #expect(scrollback_env_reseal(environment, path.path) == 0)
        }
        let expected = (0...257).map { nonce($0, $0 == 257) }
        #expect(recorder.nonces == expected)
    }

    private func nonce(_ page: UInt64, _ isLast: Bool) -> [UInt8] {
        var nonce = [UInt8](repeating: 0xAA, count: Int(scrollback_nonce_size))
        scrollback_page_nonce(page, isLast, &nonce)
        return nonce
    }
}

/// A cipher that encrypts nothing, and records the nonces with which it is called.
private final class NonceRecorder {
    private(set) var nonces: [[UInt8]] = []

    /// The functions of the cipher.
    ///
    /// They must not be used after the recorder is released.
    var functions: scrollback_cipher {
        scrollback_cipher(
            context: Unmanaged.passUnretained(self).toOpaque(), generation: 1, reads_plain: true,
            make_key: { context, _, _, _, _, check in
                check.update(repeating: 0, count: Int(scrollback_check_size))
                return context
            },
            drop_key: { _ in },
            seal: { key, nonce, _, _, plain, count, sealed in
                let nonce = UnsafeBufferPointer(start: nonce, count: Int(scrollback_nonce_size))
                Unmanaged<NonceRecorder>.fromOpaque(key).takeUnretainedValue()
                    .nonces.append(Array(nonce))
                if let plain { sealed.update(from: plain, count: count) }
                (sealed + count).update(repeating: 0, count: Int(scrollback_tag_size))
                return true
            },
            open: { _, _, _, _, _, _, _ in false },
            randomize: { bytes, count in bytes.update(repeating: 0, count: count) })
    }
}

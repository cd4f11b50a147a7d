import Foundation

/// The page of the inspector: a document that contains its style and script.
struct Page: Sendable {
    let html: Data

    /// The content security policy: only this document's style and script, and requests to the
    /// inspector.
    let policy: String

    /// Returns the page; `nonce` identifies its style and script.
    static func html(nonce: String) -> Page {
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        let html = text(PackageResources.inspector_html)
            .replacing("NONCE", with: nonce)
            .replacing("/* STYLE */", with: text(PackageResources.inspector_css))
            .replacing("/* SCRIPT */", with: text(PackageResources.inspector_js))
        let policy = """
            default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; \
            connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
        return Page(html: Data(html.utf8), policy: policy)
    }

    static func makeNonce() -> String {
        var random = SystemRandomNumberGenerator()
        return String(random.next() as UInt64, radix: 36)
            + String(random.next() as UInt64, radix: 36)
    }
}

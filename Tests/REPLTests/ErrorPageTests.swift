import Foundation
import Testing

/// Tests the list of all errors in Docs/Errors.md.
///
/// With `SCROLLBACK_RECORD=1`, the list is rewritten from the sources.
@Suite struct ErrorPageTests {
    private static let page = "Docs/Errors.md"

    /// The first line of the list.
    ///
    /// The text above it is written by hand.
    private static let start = "## StoreError\n"

    private static let types: [(name: String, file: String)] = [
        ("StoreError", "Sources/Store/StoreError.swift"),
        ("SyncError", "Sources/Sync/Engine/SyncError.swift"),
        ("BackendError", "Sources/Models/Backend/BackendError.swift"),
        ("SerializationError", "Sources/Models/Binary/SerializationError.swift"),
        ("ErrorCode", "Sources/Models/Identity/ErrorCode.swift"),
    ]

    private func lists() throws -> [ErrorList] {
        // Sorted by path, because the order of the sources determines the order of messages.
        let sources = Project.swift(in: "Sources").sorted { $0.key < $1.key }.map(\.value)
        return try Self.types.map { type in
            ErrorList(
                of: type.name, declaredIn: try Project.text(type.file), constructedIn: sources)
        }
    }

    @Test func pageListsEveryCodeAndMessage() throws {
        let expected = try lists().map { "## \($0.type)\n\n\($0.markdown)" }.joined(separator: "\n")
        let text = try Project.text(Self.page)
        let list = try #require(text.range(of: Self.start), "\(Self.page) has no list")
        if ProcessInfo.processInfo.environment["SCROLLBACK_RECORD"] != nil {
            try (text[..<list.lowerBound] + expected).write(
                to: Project.root.appending(path: Self.page), atomically: true, encoding: .utf8)
            return
        }
        #expect(
            text[list.lowerBound...] == expected,
            "\(Self.page) is out of date: run this test with SCROLLBACK_RECORD=1")
    }

    @Test func everyCodeHasAMeaning() throws {
        for list in try lists() {
            #expect(!list.codes.isEmpty, "no codes of \(list.type) were found")
            for code in list.codes {
                #expect(code.meaning.hasSuffix("."), "\(list.type).\(code.name) is not documented")
            }
        }
    }

    @Test func messagesAreReadFromAllKindsOfCalls() {
        let declaration = """
            /// The file is gone.
            ///
            /// Retry.
            public static let gone = Code(value: .gone)
            /// The system failed.
            public static let other = ErrorCode(800_100)
            """
        let source = #"""
            throw SampleError(.gone, "no file \(file.path), \(count(of: "a)"))", path: "p")
            SampleError(
                .gone,
                "a \"b\" "
                    + "c", cause: OtherError(.other, "nested"))
            SampleError(errno: errno, doing: "open", path: path)
            SampleError(other: "labeled", .detail)
            NotASampleError(.gone, "of another type")
            """#
        let list = ErrorList(of: "SampleError", declaredIn: declaration, constructedIn: [source])
        #expect(list.messageCount == 4)
        #expect(
            list.markdown == """
                - **`gone`**: The file is gone. Retry.
                  - `a "b" c`
                  - `no file <path>, <…>`
                - **`other`** (800100): The system failed.
                  - `labeled`
                - With the code of the system's error:
                  - `cannot open: <reason> (errno <number>)`

                """)
    }
}

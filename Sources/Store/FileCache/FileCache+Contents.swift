public import Models

extension FileCache {
    /// The readable records of a file, and its damage.
    public struct Contents<Element: Sendable>: Sendable {
        /// The messages, oldest first, or the channels, in the order in which they were saved.
        public internal(set) var records: [Element] = []

        /// The damaged lines, in ascending order; at most the first thousand.
        public internal(set) var damage: [Damage] = []

        /// The number of all damaged lines.
        public internal(set) var damageCount = 0
    }

    /// A corrupted line of a file.
    public struct Damage: Hashable, Sendable {
        /// The number of the line, where 1 is the header and 2 the first record.
        public let line: Int

        /// The kind of damage.
        public let reason: Reason

        /// Why the bytes are not a record; `nil` unless ``reason`` is ``Reason/record``.
        public let cause: SerializationError?
    }
}

extension FileCache.Damage {
    /// A kind of damage.
    ///
    /// Later versions may add reasons: a `switch` over them needs a `default`.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case header, otherFile, truncated, tooLong, base64, check, record, notAFile, tooLarge
        }

        private let value: Value

        /// The first line is not a header; the following lines were read.
        public static let header = Reason(value: .header)

        /// The header belongs to another channel or kind of file; no line was read.
        public static let otherFile = Reason(value: .otherFile)

        /// The file ends inside the line, or has fewer lines than the header says.
        public static let truncated = Reason(value: .truncated)

        /// An entry of a push inbox is a directory, a link or a special file.
        ///
        /// The entry was renamed, not opened.
        public static let notAFile = Reason(value: .notAFile)

        /// A file of a push inbox has more bytes than the inbox may contain, or more messages than
        /// a push may have.
        ///
        /// A file with too many bytes was renamed, not opened. Of too many messages, the first ones
        /// are stored.
        public static let tooLarge = Reason(value: .tooLarge)

        /// The line has more than 16 MiB, which this package never writes.
        public static let tooLong = Reason(value: .tooLong)

        /// The line is not Base64.
        public static let base64 = Reason(value: .base64)

        /// The check value is missing or does not match the bytes.
        public static let check = Reason(value: .check)

        /// The bytes are intact, but they are not a record, or not a sent message.
        public static let record = Reason(value: .record)

        /// The name of the reason, such as `truncated`.
        public var description: String { value.rawValue }
    }
}

extension FileCache.Damage: CustomStringConvertible {
    /// The line and the reason, such as "line 3: check".
    public var description: String {
        "line \(line): \(reason)" + (cause.map { " (\($0))" } ?? "")
    }
}

// MARK: Reading

extension FileCache.Contents {
    static var maximumDamage: Int { 1000 }

    mutating func add(
        _ reason: FileCache.Damage.Reason, line: Int, cause: SerializationError? = nil
    ) {
        damageCount += 1
        guard damage.count < Self.maximumDamage else { return }
        damage.append(FileCache.Damage(line: line, reason: reason, cause: cause))
    }
}

extension FileCache.Contents where Element: Record {
    mutating func read(
        _ file: CacheFile, from lines: inout LineReader, at path: String,
        maximumCount: Int = .max, where isExpected: (Element) -> Bool
    ) throws(StoreError) {
        let checks = CheckValues(of: file)
        var expected = 0
        var line = 1
        while let next = try lines.next() {
            // The header is the first line.
            guard line - 1 <= maximumCount else { return add(.tooLarge, line: line) }
            defer { line += 1 }
            guard case .whole(let bytes) = next else {
                if case .tooLong = next { add(.tooLong, line: line) }
                if case .cut = next { add(.truncated, line: line) }
                continue
            }
            if line == 1 {
                if let header = CacheHeader(bytes) {
                    guard let contents = try header.contents(at: path), contents.file == file else {
                        return add(.otherFile, line: 1)
                    }
                    expected = contents.lines
                    continue
                }
                add(.header, line: 1)
                // If the header is missing, the first line may be a record.
                if let record: Element = try? checks.record(in: bytes), isExpected(record) {
                    records.append(record)
                }
                continue
            }
            do throws(LineDamage) {
                let record: Element = try checks.record(in: bytes)
                guard isExpected(record) else { throw LineDamage(.record) }
                records.append(record)
            } catch {
                add(error.reason, line: line, cause: error.cause)
            }
        }
        // A file that ends inside a line was already reported.
        if line - 2 < expected { add(.truncated, line: line) }
    }
}

extension CacheHeader {
    /// Throws if a newer version of the package wrote the file.
    func contents(at path: String) throws(StoreError) -> (file: CacheFile, lines: Int)? {
        guard version <= CacheFile.version else {
            throw StoreError(
                .newerSchema,
                "the file has format version \(version), and this package reads \(CacheFile.version)",
                path: path)
        }
        return contents
    }
}

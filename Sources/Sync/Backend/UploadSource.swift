public import Foundation
public import Models
import Store

/// The bytes of a file to upload, read piece by piece.
///
/// The bytes are in memory, in a file of the app, or in the outbox's copy of a file. An encrypted
/// copy is decrypted in memory only.
///
/// ```swift
/// let reader = try source.makeReader()
/// while let piece = try reader.next() { try await body.write(piece) }
/// ```
///
/// Reading the outbox's copy verifies it: the last piece is returned only if the size and the
/// SHA-256 hash of all bytes equal those that were stored with the message.
public struct UploadSource: Sendable {
    /// The number of bytes.
    public let byteCount: Int

    private let open: @Sendable () throws(BackendError) -> UploadReader
    private let damageFound = DamageFound()

    private final class DamageFound: Sendable {
        let error = Locked<BackendError?>(nil)
    }

    /// Creates a source of bytes in memory.
    public init(_ data: Data) {
        byteCount = data.count
        open = { () throws(BackendError) in
            var rest = data[...]
            return UploadReader { (count) throws(BackendError) in
                guard !rest.isEmpty else { return nil }
                defer { rest = rest.dropFirst(count) }
                return rest.prefix(count)
            }
        }
    }

    /// Creates a source of the bytes of a file, which must not change before they were all read.
    ///
    /// - Throws: `BackendError` with code `refused` if the file cannot be read, or is not a regular
    ///   file.
    public init(contentsOf path: String) throws(BackendError) {
        let byteCount = try FileHandle.regularFile(at: path).byteCount
        self.byteCount = byteCount
        open = { () throws(BackendError) in
            let file = try FileHandle.regularFile(at: path).handle
            var left = byteCount
            return UploadReader { (count) throws(BackendError) in
                let piece: Data?
                do {
                    piece = try file.read(upToCount: min(count, left))
                } catch {
                    throw BackendError(unreadable: path, error)
                }
                guard let piece, !piece.isEmpty else { return nil }
                left -= piece.count
                return piece
            }
        }
    }

    /// Creates a source of the outbox's copy of a file; `files` is `nil` for a store in memory.
    ///
    /// Throws `fileDamaged` if the copy is missing or has another size, or `unanswered` if it
    /// cannot be read now.
    init(_ copy: FileCopy, in files: OutboxFiles?, called name: String) throws(BackendError) {
        byteCount = copy.size
        let damageFound = damageFound
        @Sendable func checked<Value>(
            _ read: () throws(StoreError) -> Value
        ) throws(BackendError) -> Value {
            do throws(StoreError) {
                return try read()
            } catch {
                let failure = BackendError(copyOf: name, error)
                if failure.detail == .fileDamaged { damageFound.error.withLock { $0 = failure } }
                throw failure
            }
        }
        @Sendable func reader() throws(BackendError) -> OutboxFileReader {
            guard let files else {
                throw BackendError(
                    .refused, "the copy of \(name) is missing: the store is in memory",
                    detail: .fileDamaged
                )
            }
            return try checked { () throws(StoreError) in try files.reader(of: copy) }
        }
        open = { () throws(BackendError) in
            let reader = try reader()
            return UploadReader { (count) throws(BackendError) in
                try checked { () throws(StoreError) in try reader.next(upTo: count) }.map {
                    Data($0)
                }
            }
        }
        // Open the copy once, so that damage is detected before the backend sends anything.
        _ = try reader()
    }

    /// Returns a new reader for one task, which begins at the first byte.
    ///
    /// - Throws: `BackendError`, which ``Backend/upload(_:from:requestID:progress:)`` must rethrow.
    public func makeReader() throws(BackendError) -> UploadReader { try open() }

    /// The maximum number of bytes that ``data()`` reads into memory: 1 GiB.
    public static let maximumDataSize = 1 << 30

    /// Reads all bytes of a small file into memory, and waits for the disk.
    ///
    /// - Throws: As ``makeReader()`` and ``UploadReader/next(upTo:)``; `refused` if the file is
    ///   larger than ``maximumDataSize``.
    public func data() throws(BackendError) -> Data {
        // A sparse file of any size takes no space on the disk.
        guard byteCount <= Self.maximumDataSize else {
            throw BackendError(
                .refused, "the file has \(byteCount) bytes, which is too large for the memory",
                detail: .fileSizeLimitExceeded)
        }
        let reader = try makeReader()
        var data = Data()
        while let piece = try reader.next() { data += piece }
        return data
    }

    /// The damage that a reader of this source has found in the copy.
    var damage: BackendError? { damageFound.error.withLock { $0 } }
}

/// A reader of the bytes of a file to upload.
public final class UploadReader {
    private let read: (Int) throws(BackendError) -> Data?

    init(_ read: @escaping (Int) throws(BackendError) -> Data?) { self.read = read }

    /// Waits for the disk, and returns the next bytes, at most `count`, which is clamped from 1
    /// byte to 16 MiB; `nil` at the end.
    ///
    /// - Throws: `BackendError`, which ``Backend/upload(_:from:requestID:progress:)`` must rethrow:
    ///   `refused` if the bytes were changed or the file is gone, `unanswered` if they cannot be
    ///   read now.
    public func next(upTo count: Int = 64 << 10) throws(BackendError) -> Data? {
        try read(min(max(count, 1), 16 << 20))
    }
}

extension UploadSource {
    init(
        _ item: OutboxItem, _ index: Int, in files: OutboxFiles?
    ) throws(BackendError) {
        let (file, count) = (item.files[index], item.files.count)
        let number = count > 1 ? " \(index + 1) of \(count)" : ""
        let name = "file\(number)\(file.name.map { ", \"\($0)\"" } ?? "")"
        if let copy = item.fileCopy(at: index) {
            try self.init(copy, in: files, called: name)
        } else if let data = file.data {
            self.init(data)
        } else if let path = file.path {
            try self.init(contentsOf: path)
        } else {
            throw BackendError(
                .refused, "\(name) has no data and no path: set one of them",
                detail: .missingParameter)
        }
    }
}

extension FileHandle {
    /// Opens a file, unless it is a pipe, which could be waited for, or a device, which could be
    /// read for ever.
    fileprivate static func regularFile(
        at path: String
    ) throws(BackendError) -> (handle: FileHandle, byteCount: Int) {
        let descriptor = URL(filePath: path).withUnsafeFileSystemRepresentation { path in
            path.map { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) } ?? -1
        }
        guard descriptor >= 0 else {
            throw BackendError(
                unreadable: path, POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw BackendError(.refused, "\(path) is not a regular file", detail: .invalidParameter)
        }
        return (handle, Int(status.st_size))
    }
}

extension BackendError {
    fileprivate init(unreadable path: String, _ error: any Error) {
        self.init(
            .refused, "the file at \(path) cannot be read: \(systemReason(of: error))",
            detail: .invalidParameter)
    }

    fileprivate init(copyOf name: String, _ error: StoreError) {
        guard error.code == .corruption else {
            // The file may be unreadable only temporarily, for example while the device is locked.
            self.init(.unanswered, "the copy of \(name) cannot be read: \(error.message)")
            return
        }
        self.init(
            .refused,
            "the copy of \(name) was damaged: \(error.message); resend it with the file",
            detail: .fileDamaged)
    }
}

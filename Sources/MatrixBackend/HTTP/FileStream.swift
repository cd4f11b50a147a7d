#if canImport(Darwin)
    import Foundation
    import Models
    import Sync

    /// A thread passes the source's bytes to the session through a pair of bound streams.
    final class FileStream {
        let input: InputStream
        private let reading: Reading

        init(
            _ source: UploadSource, _ progress: @escaping @Sendable (TransferProgress) -> Void
        ) throws(BackendError) {
            let reading = Reading(try source.makeReader(), source.byteCount, progress)
            self.reading = reading
            var (input, output): (InputStream?, OutputStream?)
            Stream.getBoundStreams(
                withBufferSize: 64 << 10, inputStream: &input, outputStream: &output)
            guard let input, let output else {
                throw BackendError(.unanswered, "the system has no stream for an upload")
            }
            self.input = input
            nonisolated(unsafe) let writer = output
            // Writing blocks while the buffer is full, so it needs its own thread. From here on,
            // only that thread uses the output stream.
            Thread.detachNewThread {
                writer.open()
                while let piece = reading.next(), writer.write(whole: piece) {}
                writer.close()
            }
        }

        var failure: BackendError? { reading.failure }
    }

    private final class Reading: Sendable {
        private struct State {
            var reader: UploadReader
            var byteCount = 0
            var failure: BackendError?
        }

        private let state: Locked<State>
        private let total: Int
        private let progress: @Sendable (TransferProgress) -> Void

        init(
            _ reader: sending UploadReader, _ total: Int,
            _ progress: @escaping @Sendable (TransferProgress) -> Void
        ) {
            state = Locked(State(reader: reader))
            self.total = total
            self.progress = progress
        }

        var failure: BackendError? { state.withLock { $0.failure } }

        func next() -> Data? {
            let (piece, byteCount) = state.withLock { state -> (Data?, Int) in
                do throws(BackendError) {
                    let piece = try state.reader.next()
                    state.byteCount += piece?.count ?? 0
                    return (piece, state.byteCount)
                } catch {
                    state.failure = error
                    return (nil, state.byteCount)
                }
            }
            guard let piece else { return nil }
            progress(TransferProgress(bytesTransferred: byteCount, bytesInAll: total))
            return piece
        }
    }

    extension OutputStream {
        fileprivate func write(whole piece: Data) -> Bool {
            var rest = piece[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    write($0.baseAddress!.assumingMemoryBound(to: UInt8.self), maxLength: $0.count)
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }
#endif

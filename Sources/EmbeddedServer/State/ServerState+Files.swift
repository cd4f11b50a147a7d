import Foundation
import Models
import Store

extension ServerState {
    private static let fileAddress = "embedded://files/"

    func storeFile(_ bytes: Data, _ file: UploadableFile) throws(BackendError) -> FileInfo {
        try checkFileSize(bytes.count)
        let number = counters.nextFile
        counters.nextFile += 1
        let content = [UInt8](bytes)
        database.put({ $0.file(number) }, { $0.raw(content) })
        return FileInfo(
            url: Self.fileAddress + String(number), name: file.name, mimeType: file.mimeType,
            size: bytes.count)
    }

    func checkFileSize(_ size: Int) throws(BackendError) {
        if size > conditions.maximumFileByteCount {
            throw BackendError(
                .refused,
                "the file has \(size) bytes; the limit is \(conditions.maximumFileByteCount)",
                detail: .fileSizeLimitExceeded)
        }
    }

    func fileBytes(_ file: FileInfo) throws(BackendError) -> Data {
        let url = file.url
        guard url.hasPrefix(Self.fileAddress),
            let number = UInt64(url.dropFirst(Self.fileAddress.count)),
            let bytes = try database.bytes({ $0.file(number) })
        else {
            throw BackendError(
                .notFound, "there is no file at \(url)", detail: .notFoundInDatabase)
        }
        return Data(bytes)
    }
}

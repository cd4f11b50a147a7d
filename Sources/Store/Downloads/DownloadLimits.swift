/// The limits of the downloaded files that are kept on the device, in bytes.
package struct DownloadLimits: Hashable, Sendable {
    package var totalByteCount: Int
    package var fileByteCount: Int

    package init(totalByteCount: Int = 400 << 20, fileByteCount: Int = 20 << 20) {
        self.totalByteCount = totalByteCount
        self.fileByteCount = fileByteCount
    }
}

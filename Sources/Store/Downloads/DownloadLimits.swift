/// The limits of the downloaded files that are kept on the device.
///
/// Above the limits, the least recently used files are removed first. A store in memory keeps none.
public struct DownloadLimits: Hashable, Sendable {
    /// The maximum size of all files together on disk, in bytes; with zero or less, none is kept.
    public var totalByteCount: Int

    /// The maximum size of a file in bytes; a larger one is downloaded each time.
    public var fileByteCount: Int

    /// Creates limits, by default of 400 MiB for all files together, and of 20 MiB for one.
    public init(totalByteCount: Int = 400 << 20, fileByteCount: Int = 20 << 20) {
        self.totalByteCount = totalByteCount
        self.fileByteCount = fileByteCount
    }
}

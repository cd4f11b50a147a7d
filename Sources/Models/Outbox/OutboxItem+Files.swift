// `uploadedFiles` and `fileCopies` have no trailing empty entries, so that equal items have equal
// bytes.
extension OutboxItem {
    /// The files of a new message as the app passed them; empty for any other item.
    public var files: [UploadableFile] {
        newMessage?.files ?? []
    }

    /// The ascending indices of the ``files`` to upload, without those passed as a URL.
    package var indicesToUpload: [Int] {
        let uploaded = uploadedFiles
        return files.enumerated().compactMap { index, file in
            let isUploaded = index < uploaded.count && !uploaded[index].url.isEmpty
            return isUploaded || file.url != nil ? nil : index
        }
    }

    /// Returns the server's description of an uploaded file; `nil` if it is not uploaded yet.
    public func uploadedFile(at index: Int) -> FileInfo? {
        let files = uploadedFiles
        return files.indices.contains(index) && !files[index].url.isEmpty ? files[index] : nil
    }

    /// Stores the server's description of an uploaded file, which must have a URL; `nil` to upload
    /// it again.
    ///
    /// An invalid index has no effect.
    package mutating func setUploadedFile(_ file: FileInfo?, at index: Int) {
        guard files.indices.contains(index) else { return }
        uploadedFiles = uploadedFiles.with(file, at: index, none: FileInfo()) { $0.url.isEmpty }
    }

    /// Returns the outbox's copy of a file, if any.
    package func fileCopy(at index: Int) -> FileCopy? {
        let copies = fileCopies
        return copies.indices.contains(index) && !copies[index].name.isEmpty ? copies[index] : nil
    }

    /// Sets the outbox's copy of a file, which must have a name; `nil` removes it.
    ///
    /// An invalid index has no effect.
    package mutating func setFileCopy(_ copy: FileCopy?, at index: Int) {
        guard files.indices.contains(index) else { return }
        fileCopies = fileCopies.with(copy, at: index, none: FileCopy()) { $0.name.isEmpty }
    }

    /// Removes the paths of ``files``, so that only the outbox's copies can be uploaded.
    package mutating func removePaths() {
        for (index, file) in files.enumerated() {
            guard let path = file.path else { continue }
            var file = file
            file.name = file.name ?? path.split(separator: "/").last.map(String.init)
            file.path = nil
            let uploaded = uploadedFile(at: index)
            replaceFile(at: index, with: file, copy: fileCopy(at: index))
            setUploadedFile(uploaded, at: index)
        }
    }

    /// Replaces a file of an unsent message and its copy, and marks it as not uploaded.
    ///
    /// An invalid index has no effect.
    package mutating func replaceFile(
        at index: Int, with file: UploadableFile, copy: FileCopy? = nil
    ) {
        guard files.indices.contains(index) else { return }
        message?.replaceFile(at: index, with: file)
        setUploadedFile(nil, at: index)
        setFileCopy(copy, at: index)
    }
}

extension Array {
    /// Returns the list with an entry at `index`, after `none` entries if it is too short, and
    /// without trailing `none` entries.
    fileprivate func with(
        _ element: Element?, at index: Int, none: Element, isNone: (Element) -> Bool
    ) -> [Element] {
        var list = self
        while list.count <= index { list.append(none) }
        list[index] = element ?? none
        while let last = list.last, isNone(last) { list.removeLast() }
        return list
    }
}

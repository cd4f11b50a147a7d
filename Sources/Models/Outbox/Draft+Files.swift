// What became of each file: uploaded, and kept for the next attempt. Both are lists beside that of the
// files, without what comes after their last entry, so that equal drafts have equal bytes.
extension Draft {
    /// The files of a new message, in the order of its params; none for any other draft.
    ///
    /// They are as the application gave them.
    public var files: [UploadableFile] {
        guard let message else { return [] }
        if let file = message.fileMessageParams?.file { return [file] }
        return message.multipleFilesMessageParams?.files ?? []
    }

    /// The indices of those ``files`` that are still to be uploaded, ascending.
    ///
    /// A file that can be fetched elsewhere need not be.
    public var indicesToUpload: [Int] {
        let uploaded = uploadedFiles
        return files.enumerated().compactMap { index, file in
            let isUploaded = index < uploaded.count && !uploaded[index].url.isEmpty
            return isUploaded || file.url != nil ? nil : index
        }
    }

    /// What the server made of the file at an index of ``files``; `nil` while it is not uploaded.
    public func uploadedFile(at index: Int) -> FileInfo? {
        let files = uploadedFiles
        return files.indices.contains(index) && !files[index].url.isEmpty ? files[index] : nil
    }

    /// Takes over what the server made of a file, so that it is not uploaded again.
    ///
    /// - Parameters:
    ///   - file: The file, with an address; `nil` if it has to be uploaded again.
    ///   - index: The place of the file in ``files``.
    /// - Precondition: ``files`` has an entry there.
    public mutating func setUploadedFile(_ file: FileInfo?, at index: Int) {
        checkIndex(index)
        uploadedFiles = uploadedFiles.with(file, at: index, none: FileInfo()) { $0.url.isEmpty }
    }

    /// The name of the outbox's copy of the file at an index of ``files``; `nil` if it has none.
    public func keptFile(at index: Int) -> String? {
        let names = keptFiles
        return names.indices.contains(index) && !names[index].isEmpty ? names[index] : nil
    }

    /// Takes over the name of the outbox's copy of a file.
    ///
    /// - Parameters:
    ///   - name: The name, in the outbox's own directory; `nil` if the copy is gone.
    ///   - index: The place of the file in ``files``.
    /// - Precondition: ``files`` has an entry there.
    public mutating func setKeptFile(_ name: String?, at index: Int) {
        checkIndex(index)
        keptFiles = keptFiles.with(name, at: index, none: "", isNone: \.isEmpty)
    }

    private func checkIndex(_ index: Int) {
        precondition(
            files.indices.contains(index), "Draft \(requestID) has no file \(index): see `files`.")
    }
}

extension Array {
    /// The list with one entry replaced; `none` fills it up to there, and never ends it.
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

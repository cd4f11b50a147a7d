#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "Cipher.h"
#include "Files.h"
#include "SealedStream.h"
#include "SealedTable.h"

namespace scrollback {

using leveldb::Slice;
using leveldb::Status;

namespace {

/// Returns whether a file is sealed in pages: a table, or the copy of an outgoing file.
bool IsPaged(const std::string &path) {
    return EndsWith(path, ".ldb") || EndsWith(path, ".sst")
        || EndsWith(path, SCROLLBACK_COPY_SUFFIX);
}

/// Returns EIO if a failed call has set no errno.
int ErrorOf(const Status &status) { return status.ok() ? 0 : errno != 0 ? errno : EIO; }

class SealedFiles final : public Files {
  public:
    SealedFiles(
        std::unique_ptr<Files> below, const scrollback_cipher &cipher, const std::string &scope)
        : Files(below.get()), below_(std::move(below)), cipher_(cipher), scope_(scope) {}

    Status NewSequentialFile(
        const std::string &path, leveldb::SequentialFile **result) override {
        *result = nullptr;
        bool isPlain = false;
        Status status = IsPlain(path, &isPlain);
        if (!status.ok()) return status;
        if (isPlain) return target()->NewSequentialFile(path, result);
        std::unique_ptr<FileKey> key;
        uint64_t size = 0;
        if (IsPaged(path)) {
            std::string head;
            status = Head(path, &head);
            if (status.ok()) status = FindKey(path, head, &key);
            if (status.ok()) status = target()->GetFileSize(path, &size);
        }
        std::unique_ptr<leveldb::SequentialFile> file;
        if (status.ok()) status = Open(&leveldb::Env::NewSequentialFile, path, &file);
        if (status.ok() && key != nullptr) status = file->Skip(SealedHeader::kSize);
        if (!status.ok()) return status;
        if (key != nullptr) {
            *result = SealedTable::Streamed(std::move(file), std::move(key), size);
        } else {
            *result = new SealedStreamReader(std::move(file), cipher_, Identity(path));
        }
        return status;
    }

    Status NewRandomAccessFile(
        const std::string &path, leveldb::RandomAccessFile **result) override {
        *result = nullptr;
        std::string head;
        Status status = Head(path, &head);
        if (!status.ok()) return status;
        if (IsPlainHead(head)) return target()->NewRandomAccessFile(path, result);
        std::unique_ptr<FileKey> key;
        status = FindKey(path, head, &key);
        if (!status.ok()) return status;
        uint64_t size = 0;
        status = target()->GetFileSize(path, &size);
        std::unique_ptr<leveldb::RandomAccessFile> file;
        if (status.ok()) status = Open(&leveldb::Env::NewRandomAccessFile, path, &file);
        if (status.ok()) *result = SealedTable::Read(std::move(file), std::move(key), size);
        return status;
    }

    Status NewWritableFile(const std::string &path, leveldb::WritableFile **result) override {
        return NewWritableFile(path, path, result);
    }

    Status NewAppendableFile(const std::string &path, leveldb::WritableFile **result) override {
        *result = nullptr;
        bool isPlain = false;
        Status status = IsPlain(path, &isPlain);
        if (!status.ok()) return status;
        if (isPlain && cipher_.generation == 0) return target()->NewAppendableFile(path, result);
        if (isPlain || IsPaged(path)) return Status::NotSupported(path, "is sealed in another way");
        std::unique_ptr<SealedStreamReader> reader;
        status = Measure(path, UINT64_MAX, &reader);
        if (!status.ok()) return status;
        // LevelDB may append only to a file under the key of new files, and begins a new file after
        // NotSupported. `Environment` has already rejected torn or damaged files.
        bool isCurrent = reader->generation() == cipher_.generation;
        bool isEmpty = reader->end() == 0;
        if (!reader->isWhole() || !(isCurrent || isEmpty)) {
            return Status::NotSupported(path, "is incomplete, or sealed under another key");
        }
        std::string header;
        std::unique_ptr<FileKey> key = isEmpty ? FileKey::Make(cipher_, Identity(path), &header)
                                               : reader->TakeKey();
        if (key == nullptr) return Status::IOError(path, "cannot be sealed");
        std::unique_ptr<leveldb::WritableFile> file;
        status = Open(&leveldb::Env::NewAppendableFile, path, &file);
        if (!status.ok()) return status;
        *result = SealedStream::Written(
            std::move(file), std::move(key), header, reader->plainLength(), reader->end());
        return status;
    }

    Status GetFileSize(const std::string &path, uint64_t *size) override {
        Status status = target()->GetFileSize(path, size);
        bool isPlain = false;
        if (status.ok()) status = IsPlain(path, &isPlain);
        if (!status.ok() || isPlain) return status;
        if (IsPaged(path)) {
            *size = SealedTable::PlainSize(*size);
            return status;
        }
        std::unique_ptr<SealedStreamReader> reader;
        status = Measure(path, UINT64_MAX, &reader);
        if (status.ok()) *size = reader->plainLength();
        return status;
    }

    Status RenameFile(const std::string &from, const std::string &to) override {
        if (Identity(from) == Identity(to) || !target()->FileExists(from)) {
            return target()->RenameFile(from, to);
        }
        // LevelDB's repair renames a table to another number, and the key depends on the name.
        bool isPlain = false;
        Status status = IsPlain(from, &isPlain);
        if (!status.ok()) return status;
        if (isPlain) return target()->RenameFile(from, to);
        status = Replace(from, to);
        return status.ok() ? target()->RemoveFile(from) : status;
    }

    int Cut(const std::string &path, uint64_t length) override {
        errno = 0;
        bool isPlain = false;
        Status status = IsPlain(path, &isPlain);
        if (!status.ok()) return ErrorOf(status);
        // An empty file gets another header when it grows again.
        if (isPlain || length == 0) return below_->Cut(path, length);
        std::unique_ptr<SealedStreamReader> reader;
        status = Measure(path, length, &reader);
        if (!status.ok()) return ErrorOf(status);
        // Logs are only truncated at the end of a flush, where a sealed record ends.
        if (reader->plainLength() != length) return EINVAL;
        return below_->Cut(path, reader->end());
    }

    int SyncDirectory(const std::string &path) override { return below_->SyncDirectory(path); }

    void MakePrivate(const std::string &path, bool isDirectory) override {
        below_->MakePrivate(path, isDirectory);
    }

    int Reseal(const std::string &path) override {
        errno = 0;
        uint32_t generation = 0;
        bool isReadable = false;
        Status status = Generation(path, &generation, &isReadable);
        if (!status.ok()) return ErrorOf(status);
        if (!isReadable || generation == cipher_.generation) return 0;
        return ErrorOf(Replace(path, path));
    }

    int Contents(const std::string &path, std::string *bytes) override {
        errno = 0;
        return ErrorOf(leveldb::ReadFileToString(this, path, bytes));
    }

    int SetContents(const std::string &path, const std::string &bytes) override {
        errno = 0;
        return ErrorOf(Replace(path, path, &bytes));
    }

  private:
    /// On-disk format, do not change: the keys of files depend on the database and the name, which
    /// is CURRENT for a file that is about to become CURRENT.
    std::string Identity(const std::string &path) const {
        std::string name = NameOf(path);
        return scope_ + "/" + (EndsWith(name, ".dbtmp") ? "CURRENT" : name);
    }

    template <class File>
    Status Open(
        Status (leveldb::Env::*open)(const std::string &, File **), const std::string &path,
        std::unique_ptr<File> *result) {
        File *file = nullptr;
        Status status = (target()->*open)(path, &file);
        result->reset(file);
        return status;
    }

    /// Reads the header, or all bytes if there are fewer.
    Status Head(const std::string &path, std::string *head) {
        std::unique_ptr<leveldb::SequentialFile> file;
        Status status = Open(&leveldb::Env::NewSequentialFile, path, &file);
        head->resize(SealedHeader::kSize);
        size_t have = 0;
        if (status.ok()) status = ReadFully(file.get(), head->size(), &(*head)[0], &have);
        head->resize(have);
        return status;
    }

    /// Determines whether a file is plain and plain files may be read.
    Status IsPlain(const std::string &path, bool *isPlain) {
        *isPlain = false;
        if (!cipher_.reads_plain) return Status::OK();
        std::string head;
        Status status = Head(path, &head);
        *isPlain = IsPlainHead(head);
        return status;
    }

    bool IsPlainHead(const std::string &head) const {
        return cipher_.reads_plain && !SealedHeader::IsMarked(head.data(), head.size());
    }

    /// The number is 0 if the file is plain.
    Status Generation(const std::string &path, uint32_t *generation, bool *isReadable) {
        std::string head;
        Status status = Head(path, &head);
        if (!status.ok()) return status;
        if (IsPlainHead(head)) {
            *generation = 0;
            *isReadable = true;
            return status;
        }
        SealedHeader header;
        *isReadable = header.Read(head.data(), head.size())
            && FileKey::Find(cipher_, Identity(path), header) != nullptr;
        *generation = header.generation;
        return status;
    }

    Status FindKey(
        const std::string &path, const std::string &head, std::unique_ptr<FileKey> *key) {
        SealedHeader header;
        if (header.Read(head.data(), head.size())) {
            *key = FileKey::Find(cipher_, Identity(path), header);
        }
        return *key == nullptr ? Status::Corruption(path, "is not the file that was written")
                               : Status::OK();
    }

    /// The file will be renamed to `name`.
    Status NewWritableFile(
        const std::string &path, const std::string &name, leveldb::WritableFile **result) {
        *result = nullptr;
        if (cipher_.generation == 0) return target()->NewWritableFile(path, result);
        std::string header;
        std::unique_ptr<FileKey> key = FileKey::Make(cipher_, Identity(name), &header);
        if (key == nullptr) return Status::IOError(path, "cannot be sealed");
        std::unique_ptr<leveldb::WritableFile> file;
        Status status = Open(&leveldb::Env::NewWritableFile, path, &file);
        if (!status.ok()) return status;
        *result = IsPaged(name)
            ? SealedTable::Written(std::move(file), std::move(key), header)
            : SealedStream::Written(std::move(file), std::move(key), header, 0, 0);
        return status;
    }

    /// Reads a stream up to a number of plain bytes, or to its end.
    Status Measure(
        const std::string &path, uint64_t length, std::unique_ptr<SealedStreamReader> *result) {
        std::unique_ptr<leveldb::SequentialFile> file;
        Status status = Open(&leveldb::Env::NewSequentialFile, path, &file);
        if (!status.ok()) return status;
        *result = std::make_unique<SealedStreamReader>(
            std::move(file), cipher_, Identity(path), SealedStreamReader::Purpose::kLengths);
        while ((*result)->plainLength() < length && (*result)->Next(&status)) {
        }
        return status;
    }

    /// Replaces `to` atomically by a copy of `from` or, if `bytes` is not null, by these bytes.
    Status Replace(
        const std::string &from, const std::string &to, const std::string *bytes = nullptr) {
        const std::string unfinished = to + SCROLLBACK_RESEALED_SUFFIX;
        leveldb::WritableFile *writable = nullptr;
        Status status = NewWritableFile(unfinished, to, &writable);
        if (!status.ok()) return status;
        std::unique_ptr<leveldb::WritableFile> target(writable);
        below_->MakePrivate(unfinished, false);
        if (bytes != nullptr) {
            status = target->Append(*bytes);
        } else {
            status = IsPaged(from) ? CopyPages(from, target.get())
                                   : CopyStream(from, target.get());
        }
        if (status.ok()) status = target->Sync();
        if (status.ok()) status = target->Close();
        if (status.ok()) status = this->target()->RenameFile(unfinished, to);
        if (!status.ok()) {
            int error = errno;
            // The next resealing of files removes the file.
            (void)this->target()->RemoveFile(unfinished);
            errno = error;
            return status;
        }
        int error = below_->SyncDirectory(DirectoryOf(to));
        if (error == 0) return Status::OK();
        errno = error;
        return Status::IOError(to, std::strerror(error));
    }

    Status CopyPages(const std::string &from, leveldb::WritableFile *target) {
        uint64_t size = 0;
        Status status = GetFileSize(from, &size);
        // The system cannot map an empty file, such as the copy of an empty outgoing file.
        if (!status.ok() || size == 0) return status;
        leveldb::RandomAccessFile *readable = nullptr;
        status = NewRandomAccessFile(from, &readable);
        std::unique_ptr<leveldb::RandomAccessFile> file(readable);
        char buffer[SealedTable::kPage];
        for (uint64_t at = 0; status.ok() && at < size; at += sizeof(buffer)) {
            Slice page;
            size_t count = std::min<uint64_t>(sizeof(buffer), size - at);
            status = file->Read(at, count, &page, buffer);
            if (status.IsCorruption()) {
                // These bytes do not match the checksum of any block of the table.
                std::memset(buffer, 0xFF, count);
                page = Slice(buffer, count);
                status = Status::OK();
            }
            if (status.ok()) status = target->Append(page);
        }
        return status;
    }

    Status CopyStream(const std::string &from, leveldb::WritableFile *target) {
        leveldb::SequentialFile *readable = nullptr;
        Status status = NewSequentialFile(from, &readable);
        std::unique_ptr<leveldb::SequentialFile> file(readable);
        char buffer[8192];
        while (status.ok()) {
            Slice read;
            status = file->Read(sizeof(buffer), &read, buffer);
            if (!status.ok() || read.empty()) break;
            status = target->Append(read);
            // Unflushed bytes stay in memory.
            if (status.ok()) status = target->Flush();
        }
        return status;
    }

    const std::unique_ptr<Files> below_;
    const scrollback_cipher cipher_;
    const std::string scope_;
};

}  // namespace

std::unique_ptr<Files> NewSealedFiles(
    std::unique_ptr<Files> below, const scrollback_cipher &cipher, const std::string &scope) {
    return std::make_unique<SealedFiles>(std::move(below), cipher, scope);
}

}  // namespace scrollback

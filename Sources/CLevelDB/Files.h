#pragma once

#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "CLevelDBEnvironment.h"
#include "leveldb/env.h"

namespace scrollback {

/// Returns the last component of a path.
inline std::string NameOf(const std::string &path) { return path.substr(path.rfind('/') + 1); }

inline bool EndsWith(const std::string &text, const std::string &end) {
    return text.size() >= end.size()
        && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Returns the directory of a file.
inline std::string DirectoryOf(const std::string &path) {
    size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

/// A layer between the disk and our environment: leveldb::Env with additional functions, which
/// return 0 or an errno.
///
/// Layers can be stacked. If a layer seals the files, the layers above it see plain files with
/// plain lengths.
class Files : public leveldb::EnvWrapper {
  public:
    using EnvWrapper::EnvWrapper;

    /// Truncates a file, durably. The file must not be open.
    virtual int Cut(const std::string &path, uint64_t length) = 0;

    /// Makes the names in a directory durable.
    virtual int SyncDirectory(const std::string &path) = 0;

    /// Restricts a file or directory to its owner, if the file system supports owners.
    virtual void MakePrivate(const std::string &path, bool isDirectory) = 0;

    /// Seals a file again in the way in which new files are sealed, if the file is sealed in
    /// another way.
    ///
    /// Only for a layer that seals.
    virtual int Reseal(const std::string &) { return 0; }

    /// Reads the plain bytes of a log or manifest. Only for a layer that seals.
    virtual int Contents(const std::string &, std::string *) { return ENOTSUP; }

    /// Replaces the plain bytes of a log or manifest atomically. Only for a layer that seals.
    virtual int SetContents(const std::string &, const std::string &) { return ENOTSUP; }
};

/// Reads `count` bytes, and sets `have` to the number of bytes read, which is less than `count` only
/// at the end of the file.
leveldb::Status ReadFully(
    leveldb::SequentialFile *file, size_t count, char *bytes, size_t *have);

/// Skips bytes by reading them. Used by implementations of SequentialFile::Skip.
leveldb::Status SkipByReading(leveldb::SequentialFile *file, uint64_t count);

/// Returns files on disk, which are accessed through `base`; the caller keeps the ownership of
/// `base`.
std::unique_ptr<Files> NewDiskFiles(leveldb::Env *base);

/// Returns a table whose file LevelDB maps into memory, and whose reads prefetch parts of 64 KiB.
///
/// By default, the system decides how much to read around each accessed page: 128 KiB on most
/// disks, but a whole table if read-ahead is set to megabytes, as for network disks of cloud
/// providers. A page of messages needs only a few blocks of each of several tables.
leveldb::RandomAccessFile *NewMappedTable(
    std::unique_ptr<leveldb::RandomAccessFile> file, uint64_t size);

/// Returns files in memory, which exist as long as the result.
std::unique_ptr<Files> NewMemoryFiles();

/// Returns files that are sealed and stored in `below`.
std::unique_ptr<Files> NewSealedFiles(
    std::unique_ptr<Files> below, const scrollback_cipher &cipher, const std::string &scope);

}  // namespace scrollback

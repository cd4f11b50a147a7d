#pragma once

#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "CLevelDBEnvironment.h"
#include "leveldb/env.h"

namespace scrollback {

inline std::string NameOf(const std::string &path) { return path.substr(path.rfind('/') + 1); }

inline bool EndsWith(const std::string &text, const std::string &end) {
    return text.size() >= end.size()
        && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

inline std::string DirectoryOf(const std::string &path) {
    size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

/// A layer over the disk: leveldb::Env with additional functions, which return 0 or an errno.
///
/// The layers above one that seals the files see plain files with plain lengths.
class Files : public leveldb::EnvWrapper {
  public:
    using EnvWrapper::EnvWrapper;

    /// Truncates a closed file, durably.
    virtual int Cut(const std::string &path, uint64_t length) = 0;

    virtual int SyncDirectory(const std::string &path) = 0;

    /// Restricts a file or directory to its owner, if the file system supports owners.
    virtual void MakePrivate(const std::string &path, bool isDirectory) = 0;

    /// Seals a file as new files are sealed, if it is sealed in another way. Only for a layer that
    /// seals.
    virtual int Reseal(const std::string &) { return 0; }

    /// Reads the plain bytes of a log or manifest. Only for a layer that seals.
    virtual int Contents(const std::string &, std::string *) { return ENOTSUP; }

    /// Replaces these bytes atomically. Only for a layer that seals.
    virtual int SetContents(const std::string &, const std::string &) { return ENOTSUP; }
};

/// Sets `have` to the number of bytes read, which is less than `count` only at the end of the file.
leveldb::Status ReadFully(
    leveldb::SequentialFile *file, size_t count, char *bytes, size_t *have);

leveldb::Status SkipByReading(leveldb::SequentialFile *file, uint64_t count);

/// The caller keeps the ownership of `base`.
std::unique_ptr<Files> NewDiskFiles(leveldb::Env *base);

/// Returns a table whose file LevelDB maps into memory, and whose reads prefetch parts of 64 KiB.
///
/// By default, the system reads 128 KiB around each accessed page on most disks, but a whole table
/// if read-ahead is set to megabytes, as for network disks of cloud providers. A page of messages
/// needs only a few blocks of each of several tables.
leveldb::RandomAccessFile *NewMappedTable(
    std::unique_ptr<leveldb::RandomAccessFile> file, uint64_t size);

/// The files exist as long as the result.
std::unique_ptr<Files> NewMemoryFiles();

std::unique_ptr<Files> NewSealedFiles(
    std::unique_ptr<Files> below, const scrollback_cipher &cipher, const std::string &scope);

}  // namespace scrollback

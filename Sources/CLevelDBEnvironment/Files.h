#ifndef SCROLLBACK_FILES_H
#define SCROLLBACK_FILES_H

#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "CLevelDBEnvironment.h"
#include "leveldb/env.h"

namespace scrollback {

/// The files below our environment: leveldb::Env with additions.
///
/// Functions return 0 or an errno.
///
/// The layers between the disk and our environment are `Files` around `Files`. One of them seals
/// the files: our environment above it sees plain logs with plain lengths, and the layer truncates
/// in its own way.
class Files : public leveldb::EnvWrapper {
  public:
    using EnvWrapper::EnvWrapper;

    /// Truncates a file, durably when the call returns.
    ///
    /// The file must not be open.
    virtual int Cut(const std::string &path, uint64_t length) = 0;

    /// Makes the names in a directory durable.
    virtual int SyncDirectory(const std::string &path) = 0;

    /// Restricts a file or directory to its owner, if the file system supports owners.
    virtual void MakePrivate(const std::string &path, bool isDirectory) = 0;

    /// Rewrites a file in the way in which new files are written, if necessary: for a layer that
    /// seals.
    virtual int Reseal(const std::string &) { return 0; }

    /// Reads what is in a log or manifest: for a layer that seals.
    virtual int Contents(const std::string &, std::string *) { return ENOTSUP; }

    /// Writes a log or manifest with other contents, in one step: for a layer that seals.
    virtual int SetContents(const std::string &, const std::string &) { return ENOTSUP; }
};

/// Returns files on disk, accessed through `base`, which is not owned.
std::unique_ptr<Files> NewDiskFiles(leveldb::Env *base);

/// Returns files in memory, which are removed with the result.
std::unique_ptr<Files> NewMemoryFiles();

/// Returns files that are sealed, and stored in `below`.
std::unique_ptr<Files> NewSealedFiles(
    std::unique_ptr<Files> below, const scrollback_cipher &cipher, const std::string &scope);

}  // namespace scrollback

#endif

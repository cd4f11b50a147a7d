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

/// The files below our environment: leveldb::Env and what it lacks. Calls return 0 or an errno.
///
/// Layers lie between the disk and our environment as `Files` around `Files`. The one that seals what is
/// in them is there: our environment above it sees plain logs with plain lengths, and the layer cuts
/// in its own way.
class Files : public leveldb::EnvWrapper {
  public:
    using EnvWrapper::EnvWrapper;

    /// Cuts a file, for good when the call returns. The file must not be open.
    virtual int Cut(const std::string &path, uint64_t length) = 0;

    /// Makes the names in a directory last.
    virtual int SyncDirectory(const std::string &path) = 0;

    /// Leaves a file or directory to its owner alone, where the file system knows owners.
    virtual void MakePrivate(const std::string &path, bool isDirectory) = 0;

    /// Writes a file anew as new files are written, if it is not: for a layer that seals.
    virtual int Reseal(const std::string &) { return 0; }

    /// Reads what is in a log or manifest: for a layer that seals.
    virtual int Contents(const std::string &, std::string *) { return ENOTSUP; }

    /// Writes a log or manifest with other contents, in one step: for a layer that seals.
    virtual int SetContents(const std::string &, const std::string &) { return ENOTSUP; }
};

/// Files on the disk, reached through `base`, which is not owned.
std::unique_ptr<Files> NewDiskFiles(leveldb::Env *base);

/// Files in memory, which go with the result.
std::unique_ptr<Files> NewMemoryFiles();

/// Files that are sealed, kept in `below`.
std::unique_ptr<Files> NewSealedFiles(
    std::unique_ptr<Files> below, const scrollback_cipher &cipher, const std::string &scope);

}  // namespace scrollback

#endif

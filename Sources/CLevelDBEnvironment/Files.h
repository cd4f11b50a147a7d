#ifndef SCROLLBACK_FILES_H
#define SCROLLBACK_FILES_H

#include <cstdint>
#include <memory>
#include <string>

#include "leveldb/env.h"

namespace scrollback {

/// The files below our environment: leveldb::Env and what it lacks. Calls return 0 or an errno.
///
/// Layers lie between the disk and our environment as `Files` around `Files`. One that seals or
/// encrypts pages belongs there: our environment above it then sees plain logs with plain lengths,
/// and the layer cuts in its own way.
class Files : public leveldb::EnvWrapper {
  public:
    using EnvWrapper::EnvWrapper;

    /// Cuts a file, for good when the call returns. The file must not be open.
    virtual int Cut(const std::string &path, uint64_t length) = 0;

    /// Makes the names in a directory last.
    virtual int SyncDirectory(const std::string &path) = 0;

    /// Leaves a file or directory to its owner alone, where the file system knows owners.
    virtual void MakePrivate(const std::string &path, bool isDirectory) = 0;
};

/// Files on the disk, reached through `base`, which is not owned.
std::unique_ptr<Files> NewDiskFiles(leveldb::Env *base);

/// Files in memory, which go with the result.
std::unique_ptr<Files> NewMemoryFiles();

}  // namespace scrollback

#endif

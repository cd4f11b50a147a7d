#include "Files.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "leveldb/slice.h"

namespace leveldb {

// In the library everywhere, but its header helpers/memenv.h is not installed everywhere.
LEVELDB_EXPORT Env *NewMemEnv(Env *base);

}  // namespace leveldb

namespace scrollback {
namespace {

int Sync(int file) {
#ifdef F_FULLFSYNC
    // On Apple's systems fsync leaves the bytes in the drive's cache. Not each file system has the
    // other one.
    if (fcntl(file, F_FULLFSYNC) == 0) return 0;
#endif
    return fsync(file) == 0 ? 0 : errno;
}

/// Opens a path, hands the descriptor on, and closes it.
template <class Body>
int With(const std::string &path, int flags, Body body) {
    int file;
    do {
        file = open(path.c_str(), flags | O_CLOEXEC);
    } while (file < 0 && errno == EINTR);
    if (file < 0) return errno;
    int error = body(file);
    close(file);
    return error;
}

class DiskFiles final : public Files {
  public:
    using Files::Files;

    int Cut(const std::string &path, uint64_t length) override {
        return With(path, O_WRONLY, [length](int file) {
            while (ftruncate(file, static_cast<off_t>(length)) != 0) {
                if (errno != EINTR) return errno;
            }
            return Sync(file);
        });
    }

    int SyncDirectory(const std::string &path) override {
        return With(path, O_RDONLY | O_DIRECTORY, Sync);
    }

    void MakePrivate(const std::string &path, bool isDirectory) override {
        // Not an error: some file systems have no owners, and another user's file may be ours to
        // write.
        (void)chmod(path.c_str(), isDirectory ? 0700 : 0600);
    }
};

class MemoryFiles final : public Files {
  public:
    explicit MemoryFiles(leveldb::Env *memory) : Files(memory), memory_(memory) {}

    int Cut(const std::string &path, uint64_t length) override {
        std::string bytes;
        if (!leveldb::ReadFileToString(target(), path, &bytes).ok()) return ENOENT;
        if (bytes.size() > length) bytes.resize(length);
        return leveldb::WriteStringToFile(target(), bytes, path).ok() ? 0 : EIO;
    }

    int SyncDirectory(const std::string &) override { return 0; }
    void MakePrivate(const std::string &, bool) override {}

  private:
    const std::unique_ptr<leveldb::Env> memory_;
};

}  // namespace

std::unique_ptr<Files> NewDiskFiles(leveldb::Env *base) {
    return std::make_unique<DiskFiles>(base);
}

std::unique_ptr<Files> NewMemoryFiles() {
    return std::make_unique<MemoryFiles>(leveldb::NewMemEnv(leveldb::Env::Default()));
}

}  // namespace scrollback

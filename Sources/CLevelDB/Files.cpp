#include "Files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "leveldb/slice.h"

namespace scrollback {

using leveldb::Status;

namespace {

int Sync(int file) {
#ifdef F_FULLFSYNC
    // On Apple platforms, fsync may leave the bytes in the drive's cache. Some file systems do not
    // support F_FULLFSYNC.
    if (fcntl(file, F_FULLFSYNC) == 0) return 0;
#endif
    while (fsync(file) != 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}

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

/// Does not follow a link.
std::optional<struct stat> Attributes(const std::string &path) {
    struct stat status;
    if (lstat(path.c_str(), &status) != 0) return std::nullopt;
    return status;
}

/// Clears the result of an opening, and returns an error if the path names something else than a
/// file.
///
/// Another program's link leads out of the database, and opening a pipe would wait for a writer.
template <class File>
Status CheckIsFile(const std::string &path, File **result) {
    *result = nullptr;
    const auto status = Attributes(path);
    if (!status || S_ISREG(status->st_mode)) return Status::OK();
    return Status::Corruption(path, "is not a regular file");
}

/// The locks that this process holds, in any environment.
///
/// LevelDB detects a second opening by the same process only after it has opened the file LOCK
/// again. When it then closes that file, the process loses its lock, as POSIX specifies, and
/// another process could open the database.
class HeldLocks {
  public:
    /// The device and the inode number of a file, which are the same for all its paths.
    using Identity = std::pair<dev_t, ino_t>;

    static HeldLocks &Shared() {
        static HeldLocks *const shared = new HeldLocks;
        return *shared;
    }

    Status Lock(leveldb::Env *base, const std::string &path, leveldb::FileLock **lock) {
        std::lock_guard<std::mutex> guard(mutex_);
        *lock = nullptr;
        std::optional<Identity> identity = Identify(path);
        for (auto &[held, other] : held_) {
            if (!identity || identity != other) continue;
            errno = 0;
            return Status::IOError("lock " + path, "already held by process");
        }
        Status status = base->LockFile(path, lock);
        int error = errno;
        if (status.ok()) held_[*lock] = Identify(path);
        errno = error;
        return status;
    }

    Status Unlock(leveldb::Env *base, leveldb::FileLock *lock) {
        std::lock_guard<std::mutex> guard(mutex_);
        held_.erase(lock);
        return base->UnlockFile(lock);
    }

  private:
    static std::optional<Identity> Identify(const std::string &path) {
        struct stat status;
        if (stat(path.c_str(), &status) != 0) return std::nullopt;
        return Identity(status.st_dev, status.st_ino);
    }

    std::mutex mutex_;
    std::map<leveldb::FileLock *, std::optional<Identity>> held_;
};

class DiskFiles final : public Files {
  public:
    using Files::Files;

    Status NewSequentialFile(
        const std::string &path, leveldb::SequentialFile **result) override {
        Status status = CheckIsFile(path, result);
        return status.ok() ? target()->NewSequentialFile(path, result) : status;
    }

    Status NewWritableFile(const std::string &path, leveldb::WritableFile **result) override {
        // Through a link, or another name of the same file, this would overwrite a file that does
        // not belong to the database. An error of the removal causes one of the creation.
        const auto old = Attributes(path);
        if (old && (!S_ISREG(old->st_mode) || old->st_nlink > 1)) (void)unlink(path.c_str());
        return target()->NewWritableFile(path, result);
    }

    Status NewAppendableFile(const std::string &path, leveldb::WritableFile **result) override {
        Status status = CheckIsFile(path, result);
        if (!status.ok()) return status;
        // For a file that has another name, too, LevelDB begins a new one instead.
        const auto old = Attributes(path);
        if (old && old->st_nlink > 1) return Status::NotSupported(path, "the file has two names");
        return target()->NewAppendableFile(path, result);
    }

    Status NewRandomAccessFile(
        const std::string &path, leveldb::RandomAccessFile **result) override {
        Status status = CheckIsFile(path, result);
        if (!status.ok()) return status;
        uint64_t size = 0;
        const bool hasSize = target()->GetFileSize(path, &size).ok();
        // The system cannot map an empty file, and LevelDB would report an error of the disk.
        if (hasSize && size == 0) {
            return Status::Corruption(path, "the file is empty");
        }
        status = target()->NewRandomAccessFile(path, result);
        if (status.ok() && hasSize) {
            *result = NewMappedTable(std::unique_ptr<leveldb::RandomAccessFile>(*result), size);
        }
        return status;
    }

    Status LockFile(const std::string &path, leveldb::FileLock **lock) override {
        // Through a link, this would create or lock a file that does not belong to the database.
        if (!CheckIsFile(path, lock).ok()) (void)unlink(path.c_str());
        return HeldLocks::Shared().Lock(target(), path, lock);
    }

    Status UnlockFile(leveldb::FileLock *lock) override {
        return HeldLocks::Shared().Unlock(target(), lock);
    }

    int Cut(const std::string &path, uint64_t length) override {
        const auto status = Attributes(path);
        if (status && status->st_nlink > 1) return EMLINK;
        return With(path, O_WRONLY | O_NOFOLLOW, [length](int file) {
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
        // Through a link or another name, this would change a file that does not belong to the
        // database.
        const auto status = Attributes(path);
        if (!status || S_ISLNK(status->st_mode)) return;
        if (!isDirectory && status->st_nlink > 1) return;
        // Some file systems have no owners, and a file of another user may be writable.
        (void)chmod(path.c_str(), isDirectory ? 0700 : 0600);
    }
};

}  // namespace

Status ReadFully(leveldb::SequentialFile *file, size_t count, char *bytes, size_t *have) {
    for (*have = 0; *have < count;) {
        leveldb::Slice read;
        Status status = file->Read(count - *have, &read, bytes + *have);
        if (!status.ok()) return status;
        if (read.empty()) break;
        if (read.data() != bytes + *have) std::memcpy(bytes + *have, read.data(), read.size());
        *have += read.size();
    }
    return Status::OK();
}

Status SkipByReading(leveldb::SequentialFile *file, uint64_t count) {
    char buffer[4096];
    leveldb::Slice read;
    while (count > 0) {
        Status status = file->Read(std::min<uint64_t>(count, sizeof(buffer)), &read, buffer);
        if (!status.ok() || read.empty()) return status;
        count -= read.size();
    }
    return Status::OK();
}

std::unique_ptr<Files> NewDiskFiles(leveldb::Env *base) {
    return std::make_unique<DiskFiles>(base);
}

}  // namespace scrollback

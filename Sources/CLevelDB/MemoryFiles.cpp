#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "Files.h"

namespace scrollback {

using leveldb::Slice;
using leveldb::Status;

namespace {

/// The bytes of a file, which exist as long as the file has a name or is open.
struct Content {
    std::mutex mutex;
    std::string bytes;

    Slice Read(uint64_t offset, size_t count, char *scratch) {
        std::lock_guard<std::mutex> lock(mutex);
        return Slice(scratch, offset < bytes.size() ? bytes.copy(scratch, count, offset) : 0);
    }
};

using SharedContent = std::shared_ptr<Content>;

class MemorySequentialFile final : public leveldb::SequentialFile {
  public:
    explicit MemorySequentialFile(SharedContent content) : content_(std::move(content)) {}

    Status Read(size_t count, Slice *result, char *scratch) override {
        *result = content_->Read(offset_, count, scratch);
        offset_ += result->size();
        return Status::OK();
    }

    Status Skip(uint64_t count) override { return SkipByReading(this, count); }

  private:
    const SharedContent content_;
    uint64_t offset_ = 0;
};

class MemoryRandomAccessFile final : public leveldb::RandomAccessFile {
  public:
    explicit MemoryRandomAccessFile(SharedContent content) : content_(std::move(content)) {}

    Status Read(uint64_t offset, size_t count, Slice *result, char *scratch) const override {
        *result = content_->Read(offset, count, scratch);
        return Status::OK();
    }

  private:
    const SharedContent content_;
};

class MemoryWritableFile final : public leveldb::WritableFile {
  public:
    explicit MemoryWritableFile(SharedContent content) : content_(std::move(content)) {}

    Status Append(const Slice &bytes) override {
        std::lock_guard<std::mutex> lock(content_->mutex);
        content_->bytes.append(bytes.data(), bytes.size());
        return Status::OK();
    }
    Status Close() override {
        std::lock_guard<std::mutex> lock(content_->mutex);
        content_->bytes.shrink_to_fit();
        return Status::OK();
    }
    Status Flush() override { return Status::OK(); }
    Status Sync() override { return Status::OK(); }

  private:
    const SharedContent content_;
};

/// Files in memory, with the threads and the time of LevelDB's own environment. Directories are
/// prefixes of paths.
class MemoryFiles final : public Files {
  public:
    MemoryFiles() : Files(leveldb::Env::Default()) {}

    Status NewSequentialFile(const std::string &path, leveldb::SequentialFile **result) override {
        return Open<MemorySequentialFile>(path, result);
    }

    Status NewRandomAccessFile(
        const std::string &path, leveldb::RandomAccessFile **result) override {
        return Open<MemoryRandomAccessFile>(path, result);
    }

    Status NewWritableFile(const std::string &path, leveldb::WritableFile **result) override {
        std::lock_guard<std::mutex> lock(mutex_);
        *result = new MemoryWritableFile(files_[path] = std::make_shared<Content>());
        return Status::OK();
    }

    Status NewAppendableFile(const std::string &path, leveldb::WritableFile **result) override {
        std::lock_guard<std::mutex> lock(mutex_);
        SharedContent &content = files_[path];
        if (content == nullptr) content = std::make_shared<Content>();
        *result = new MemoryWritableFile(content);
        return Status::OK();
    }

    bool FileExists(const std::string &path) override { return Find(path) != nullptr; }
    Status GetChildren(const std::string &path, std::vector<std::string> *result) override {
        std::lock_guard<std::mutex> lock(mutex_);
        result->clear();
        for (auto &[name, content] : files_) {
            if (DirectoryOf(name) == path) result->push_back(NameOf(name));
        }
        return Status::OK();
    }

    Status RemoveFile(const std::string &path) override {
        std::lock_guard<std::mutex> lock(mutex_);
        return files_.erase(path) == 0 ? Missing(path) : Status::OK();
    }

    Status CreateDir(const std::string &) override { return Status::OK(); }
    Status RemoveDir(const std::string &) override { return Status::OK(); }

    Status GetFileSize(const std::string &path, uint64_t *size) override {
        const SharedContent content = Find(path);
        if (content == nullptr) return Missing(path);
        std::lock_guard<std::mutex> lock(content->mutex);
        *size = content->bytes.size();
        return Status::OK();
    }

    Status RenameFile(const std::string &from, const std::string &to) override {
        std::lock_guard<std::mutex> lock(mutex_);
        auto found = files_.extract(from);
        if (found.empty()) return Missing(from);
        files_[to] = std::move(found.mapped());
        return Status::OK();
    }

    Status LockFile(const std::string &path, leveldb::FileLock **lock) override {
        std::lock_guard<std::mutex> guard(mutex_);
        *lock = nullptr;
        if (locks_[path] != nullptr) return Status::IOError("lock " + path, "already held");
        *lock = locks_[path] = new leveldb::FileLock;
        return Status::OK();
    }

    Status UnlockFile(leveldb::FileLock *lock) override {
        std::lock_guard<std::mutex> guard(mutex_);
        for (auto &[path, held] : locks_) {
            if (held == lock) held = nullptr;
        }
        delete lock;
        return Status::OK();
    }

    int Cut(const std::string &path, uint64_t length) override {
        const SharedContent content = Find(path);
        if (content == nullptr) return ENOENT;
        std::lock_guard<std::mutex> lock(content->mutex);
        if (length < content->bytes.size()) content->bytes.resize(length);
        return 0;
    }

    int SyncDirectory(const std::string &) override { return 0; }
    void MakePrivate(const std::string &, bool) override {}

  private:
    static Status Missing(const std::string &path) {
        return Status::NotFound(path, "no such file in memory");
    }

    SharedContent Find(const std::string &path) {
        std::lock_guard<std::mutex> lock(mutex_);
        auto found = files_.find(path);
        return found == files_.end() ? nullptr : found->second;
    }

    template <class File, class Result>
    Status Open(const std::string &path, Result **result) {
        const SharedContent content = Find(path);
        *result = content == nullptr ? nullptr : new File(content);
        return content == nullptr ? Missing(path) : Status::OK();
    }

    std::mutex mutex_;
    std::map<std::string, SharedContent> files_;
    std::map<std::string, leveldb::FileLock *> locks_;
};

}  // namespace

std::unique_ptr<Files> NewMemoryFiles() { return std::make_unique<MemoryFiles>(); }

}  // namespace scrollback

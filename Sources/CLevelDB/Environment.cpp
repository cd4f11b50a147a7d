#include "Environment.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "RecordReader.h"

namespace scrollback {

using leveldb::Slice;
using leveldb::Status;

namespace {

// MARK: Errors

/// Appends the cause, which LevelDB's text has only in words that differ between systems.
Status WithCause(const Status &status, const std::string &cause) {
    const std::string prefix = "IO error: ";
    std::string text = status.ToString();
    if (text.compare(0, prefix.size(), prefix) == 0) text.erase(0, prefix.size());
    return Status::IOError(text + " [" + cause + "]");
}

Status WithErrno(const Status &status, int error) {
    return WithCause(status, "errno " + std::to_string(error));
}

/// Adds the errno to an error of the underlying environment; 0 if no system call failed.
template <class Call>
Status Checked(Call call) {
    errno = 0;
    Status status = call();
    int error = errno;
    if (status.ok() || status.IsNotFound() || status.IsCorruption()) return status;
    return WithErrno(status, error);
}

// MARK: Names

bool IsManifest(const std::string &path) { return NameOf(path).compare(0, 9, "MANIFEST-") == 0; }

bool IsLog(const std::string &path) {
    std::string name = NameOf(path);
    size_t digits = name.find_first_not_of("0123456789");
    return digits != 0 && digits != std::string::npos
        && name.compare(digits, std::string::npos, ".log") == 0;
}

uint64_t LogNumber(const std::string &path) {
    return std::strtoull(NameOf(path).c_str(), nullptr, 10);
}

// MARK: Reading

/// A table whose blocks are verified when they are read for the first time.
///
/// LevelDB reads the footer at the end, and blocks, each with a trailer: the type in one byte, and
/// the checksum of the block and the type in four bytes.
class TableFile final : public leveldb::RandomAccessFile {
  public:
    TableFile(leveldb::RandomAccessFile *file, uint64_t size)
        : file_(file), size_(size), verified_(size / kPart + 1) {}

    Status Read(uint64_t offset, size_t count, Slice *result, char *scratch) const override {
        Status status = Checked([&] {
            Status status = file_->Read(offset, count, result, scratch);
            // No system call failed: the file ends before this offset.
            bool isCut = status.IsIOError() && errno == 0;
            return isCut ? Status::Corruption("unexpected end of a table") : status;
        });
        const bool isFooter = count == kFooter && offset + kFooter == size_;
        if (!status.ok() || isFooter) return status;
        if (count < kTrailer || result->size() != count || offset >= size_) {
            return Status::Corruption("unexpected end of a table");
        }
        std::atomic<uint16_t> &verified = verified_[offset / kPart];
        const auto mark = static_cast<uint16_t>(offset % kPart + 1);
        if (verified.load(std::memory_order_relaxed) == mark) return status;
        uint32_t stored;
        std::memcpy(&stored, result->data() + count - sizeof(stored), sizeof(stored));
        if (scrollback_checksum(result->data(), count - sizeof(stored)) != stored) {
            return Status::Corruption("block checksum mismatch");
        }
        verified.store(mark, std::memory_order_relaxed);
        return status;
    }

  private:
    static constexpr size_t kFooter = 48, kTrailer = 5;
    /// At least the size of a block of rows, except the last one, so that no two of them begin in
    /// the same part.
    static constexpr uint64_t kPart = 4096;

    const std::unique_ptr<leveldb::RandomAccessFile> file_;
    const uint64_t size_;
    /// For each part, the offset at which the last verified block begins, plus one; 0 if there is
    /// none.
    mutable std::vector<std::atomic<uint16_t>> verified_;
};

class StreamedFile : public leveldb::SequentialFile {
  public:
    explicit StreamedFile(leveldb::SequentialFile *file) : file_(file) {}

    Status Read(size_t count, Slice *result, char *scratch) override {
        return Checked([&] { return file_->Read(count, result, scratch); });
    }

    Status Skip(uint64_t count) override {
        return Checked([&] { return file_->Skip(count); });
    }

  private:
    const std::unique_ptr<leveldb::SequentialFile> file_;
};

/// A manifest or log that a RecordReader observes while LevelDB reads it.
class WatchedFile final : public StreamedFile {
  public:
    WatchedFile(Environment *environment, const std::string &path, leveldb::SequentialFile *file)
        : StreamedFile(file), environment_(environment), path_(path), isLog_(IsLog(path)),
          reader_(
              isLog_ ? Replay::kBatchHeader : SIZE_MAX,
              [this](const std::string &head, uint64_t size) {
                  environment_->WithReplay([&](Replay &replay) {
                      isLog_ ? replay.LogRecord(head, size) : replay.ManifestRecord(head);
                  });
              },
              [this] {
                  // LevelDB itself reports damage of a manifest.
                  if (!isLog_) return;
                  environment_->WithReplay([](Replay &replay) { replay.Damage(); });
              }) {
        if (!isLog_) return;
        environment_->WithReplay([this](Replay &replay) { replay.BeginLog(LogNumber(path_)); });
    }

    ~WatchedFile() override {
        if (!isOver_) reader_.End();
        environment_->WithReplay([this](Replay &replay) {
            if (isLog_) replay.EndLog(reader_.isTorn());
            bool isSuspect = reader_.isDamaged() || (isLog_ && replay.isSuspect());
            if (!isUnseen_ && !reader_.isTorn() && !isSuspect) {
                replay.NoteWhole(path_, reader_.length());
            }
        });
    }

    Status Read(size_t count, Slice *result, char *scratch) override {
        Status status = StreamedFile::Read(count, result, scratch);
        if (status.ok()) {
            reader_.Read(result->data(), result->size());
            // A read that returns fewer bytes than requested is LevelDB's last one.
            if (result->size() < count && !isOver_) {
                isOver_ = true;
                reader_.End();
            }
            if (isLog_ && environment_->WithReplay(
                    [](Replay &replay) { return replay.TakeImpossible(); })) {
                // LevelDB would trap at this record, but rejects damaged bytes: no record has such
                // a length.
                std::memset(scratch, 0xFF, result->size());
                *result = Slice(scratch, result->size());
            }
        } else {
            isUnseen_ = true;
            // LevelDB treats a log that it cannot read as if the log had ended.
            if (isLog_) environment_->WithReplay([&](Replay &replay) { replay.Fail(status); });
        }
        return status;
    }

    Status Skip(uint64_t count) override {
        isUnseen_ = true;
        return StreamedFile::Skip(count);
    }

  private:
    Environment *const environment_;
    const std::string path_;
    const bool isLog_;
    RecordReader reader_;
    bool isUnseen_ = false, isOver_ = false;
};

// MARK: Writing

class WrittenFile final : public leveldb::WritableFile {
  public:
    WrittenFile(Environment *environment, leveldb::WritableFile *file)
        : environment_(environment), file_(file) {}

    Status Append(const Slice &bytes) override {
        return Noted([&] { return file_->Append(bytes); });
    }
    Status Close() override {
        return Noted([&] { return file_->Close(); });
    }
    Status Flush() override {
        return Noted([&] { return file_->Flush(); });
    }
    Status Sync() override {
        return Noted([&] { return file_->Sync(); });
    }

  private:
    template <class Call>
    Status Noted(Call call) {
        Status status = Checked(call);
        if (!status.ok()) environment_->NoteFailure();
        return status;
    }

    Environment *const environment_;
    const std::unique_ptr<leveldb::WritableFile> file_;
};

/// A log, which cannot grow after a failure of any log, and is synced when it is closed.
class LogFile final : public leveldb::WritableFile {
  public:
    LogFile(
        Environment *environment, leveldb::WritableFile *file, std::shared_ptr<LogLength> length)
        : environment_(environment), file_(environment, file), length_(std::move(length)) {}

    // When LevelDB begins the next log, it releases this log without closing it, and writes no
    // batch to the next log before this destructor returns.
    ~LogFile() override {
        if (!isClosed_) (void)Close();
    }

    Status Append(const Slice &bytes) override {
        return Guarded([&] {
            length_->written.fetch_add(bytes.size(), std::memory_order_relaxed);
            isSynced_ = false;
            return file_.Append(bytes);
        });
    }

    Status Flush() override {
        return Guarded([&] { return file_.Flush(); });
    }

    Status Sync() override {
        return Guarded([&] { return SyncNow(); });
    }

    Status Close() override {
        isClosed_ = true;
        Status status = isSynced_ ? Status::OK() : SyncNow();
        Status closing = file_.Close();
        if (status.ok()) status = closing;
        if (!status.ok()) environment_->SetLogFailure(status);
        return status;
    }

  private:
    Status SyncNow() {
        Status status = file_.Sync();
        if (status.ok()) isSynced_ = true;
        return status;
    }

    template <class Call>
    Status Guarded(Call call) {
        Status status = environment_->LogFailure();
        if (!status.ok()) return status;
        status = call();
        if (!status.ok()) environment_->SetLogFailure(status);
        return status;
    }

    Environment *const environment_;
    WrittenFile file_;
    const std::shared_ptr<LogLength> length_;
    bool isSynced_ = true;
    bool isClosed_ = false;
};

}  // namespace

Environment::Environment(std::unique_ptr<Files> files)
    : EnvWrapper(files.get()), files_(std::move(files)) {}

// MARK: Files

Status Environment::NewSequentialFile(
    const std::string &path, leveldb::SequentialFile **result) {
    leveldb::SequentialFile *file = nullptr;
    Status status = Checked([&] { return target()->NewSequentialFile(path, &file); });
    *result = nullptr;
    if (!status.ok()) {
        // LevelDB has just listed the log, but would continue without it.
        if (IsLog(path)) WithReplay([&](Replay &replay) { replay.Fail(status); });
        return status;
    }
    if (IsLog(path) || IsManifest(path)) {
        *result = new WatchedFile(this, path, file);
    } else {
        *result = new StreamedFile(file);
    }
    return status;
}

Status Environment::NewRandomAccessFile(
    const std::string &path, leveldb::RandomAccessFile **result) {
    leveldb::RandomAccessFile *file = nullptr;
    uint64_t size = 0;
    Status status = Checked([&] { return target()->NewRandomAccessFile(path, &file); });
    if (status.ok()) status = Checked([&] { return target()->GetFileSize(path, &size); });
    *result = status.ok() ? new TableFile(file, size) : nullptr;
    if (!status.ok()) delete file;
    return status;
}

Status Environment::NewWritableFile(const std::string &path, leveldb::WritableFile **result) {
    *result = nullptr;
    // When LevelDB creates a table or a new log, the replay has ended, and no file was removed yet.
    Status status = WithReplay([&](Replay &replay) {
        if (IsLog(path)) replay.End();
        return Refusal();
    });
    if (!status.ok()) return status;

    leveldb::WritableFile *file = nullptr;
    status = Checked([&] { return target()->NewWritableFile(path, &file); });
    if (!status.ok()) {
        NoteFailure();
        return status;
    }
    files_->MakePrivate(path, false);
    if (IsLog(path)) {
        status = SyncDirectoryOf(path);
        if (!status.ok()) {
            delete file;
            return status;
        }
    }
    *result = Wrapped(path, file, 0);
    return status;
}

Status Environment::NewAppendableFile(const std::string &path, leveldb::WritableFile **result) {
    *result = nullptr;
    uint64_t length = 0;
    Status status = GetFileSize(path, &length);
    if (!status.ok()) return status;
    bool isGranted = WithReplay([&](Replay &replay) {
        if (IsLog(path) && replay.WouldBreak()) return false;
        // A log without an intact record would remain with the old manifest after an opening that
        // skips damage, and count as damaged in every opening.
        if (IsManifest(path) && !refusesDamage_) return false;
        return Refusal().ok() && replay.IsWhole(path, length);
    });
    if (!isGranted) {
        // After this error, LevelDB writes a table and a new log, or a new manifest.
        return Status::NotSupported(path, "does not end after a complete record");
    }
    leveldb::WritableFile *file = nullptr;
    status = Checked([&] { return target()->NewAppendableFile(path, &file); });
    if (!status.ok()) return status;
    files_->MakePrivate(path, false);
    *result = Wrapped(path, file, length);
    return status;
}

leveldb::WritableFile *Environment::Wrapped(
    const std::string &path, leveldb::WritableFile *file, uint64_t length) {
    if (!IsLog(path)) return new WrittenFile(this, file);
    auto log = std::make_shared<LogLength>(length);
    std::lock_guard<std::mutex> lock(mutex_);
    replay_.End();
    logs_[path] = log;
    return new LogFile(this, file, log);
}

Status Environment::GetChildren(const std::string &path, std::vector<std::string> *result) {
    return Checked([&] { return target()->GetChildren(path, result); });
}

Status Environment::RemoveFile(const std::string &path) {
    Status status = Checked([&] { return target()->RemoveFile(path); });
    if (status.ok() && IsLog(path)) {
        std::lock_guard<std::mutex> lock(mutex_);
        logs_.erase(path);
        didChange_.notify_all();
    }
    return status;
}

Status Environment::CreateDir(const std::string &path) {
    Status status = Checked([&] { return target()->CreateDir(path); });
    if (!status.ok()) return status;
    files_->MakePrivate(path, true);
    return SyncDirectoryOf(path);
}

Status Environment::RemoveDir(const std::string &path) {
    return Checked([&] { return target()->RemoveDir(path); });
}

Status Environment::GetFileSize(const std::string &path, uint64_t *size) {
    return Checked([&] { return target()->GetFileSize(path, size); });
}

Status Environment::RenameFile(const std::string &from, const std::string &to) {
    Status status = Checked([&] { return target()->RenameFile(from, to); });
    if (!status.ok()) return status;
    if (IsLog(from) || IsLog(to)) {
        std::lock_guard<std::mutex> lock(mutex_);
        logs_.erase(from);
        logs_.erase(to);
    }
    // LevelDB removes the old manifest next.
    return NameOf(to) == "CURRENT" ? SyncDirectoryOf(to) : status;
}

Status Environment::SyncDirectoryOf(const std::string &path) {
    std::string directory = DirectoryOf(path);
    int error = files_->SyncDirectory(directory);
    if (error == 0) return Status::OK();
    return WithErrno(Status::IOError(directory, std::strerror(error)), error);
}

Status Environment::NewLogger(const std::string &path, leveldb::Logger **result) {
    // Without a logger, LevelDB writes no LOG.
    *result = nullptr;
    return Status::NotSupported(path, "is not written, since it would hold keys");
}

// MARK: Openings

Status Environment::TryLock(const std::string &path, leveldb::FileLock **lock, int *error) {
    *lock = nullptr;
    errno = 0;
    Status status = target()->LockFile(path, lock);
    *error = errno;
    if (status.ok() || status.IsCorruption()) return status;
    if (status.IsNotFound()) {
        *error = ENOENT;
        return status;
    }
    // If this process itself holds the lock, there is no errno. EACCES is possible for opening and
    // locking the file, which LevelDB's text distinguishes.
    bool isLock = status.ToString().compare(0, 15, "IO error: lock ") == 0;
    bool isHeld = *error == 0 || *error == EAGAIN || *error == EWOULDBLOCK || *error == EACCES;
    if (!isLock || !isHeld) return WithErrno(status, *error);
    *error = EBUSY;
    return WithCause(status, "locked");
}

leveldb::FileLock *Environment::LockDatabase(const std::string &directory, int *error) {
    leveldb::FileLock *lock = nullptr;
    if (TryLock(directory + "/LOCK", &lock, error).ok()) return lock;
    if (*error == 0) *error = EIO;
    return nullptr;
}

Status Environment::LockFile(const std::string &path, leveldb::FileLock **lock) {
    int error = 0;
    Status status = TryLock(path, lock, &error);
    if (!status.ok()) return status;
    files_->MakePrivate(path, false);
    // Each opening begins by locking the database.
    std::lock_guard<std::mutex> guard(mutex_);
    replay_ = Replay();
    logs_.clear();
    logFailure_ = Status::OK();
    hasLogFailure_ = false;
    return status;
}

Status Environment::UnlockFile(leveldb::FileLock *lock) {
    return Checked([&] { return target()->UnlockFile(lock); });
}

scrollback_log_report Environment::TakeLogReport() {
    std::lock_guard<std::mutex> lock(mutex_);
    scrollback_log_report report = replay_.report();
    replay_.ForgetReport();
    return report;
}

Status Environment::Refusal() const {
    const scrollback_log_report &report = replay_.report();
    if (!replay_.failure().ok() || !refusesDamage_) return replay_.failure();
    if (report.breaks == 0 && report.damaged == 0) return Status::OK();
    return Status::Corruption(report.first_damaged, "batches are missing");
}

void Environment::RefuseDamage(bool refuse) {
    std::lock_guard<std::mutex> lock(mutex_);
    refusesDamage_ = refuse;
}

// MARK: Closings

uint64_t Environment::LoggedBytes() const {
    uint64_t bytes = 0;
    for (auto &[path, log] : logs_) bytes += log->written;
    return bytes;
}

bool Environment::Flush(
    uint64_t least, std::chrono::milliseconds longest, const std::function<Status()> &begin) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (LoggedBytes() < least) return true;
    uint64_t failures = failures_;
    lock.unlock();
    if (!begin().ok()) return false;
    lock.lock();
    didChange_.wait_for(
        lock, longest, [&] { return LoggedBytes() < least || failures_ != failures; });
    return LoggedBytes() < least;
}

void Environment::NoteFailure() {
    std::lock_guard<std::mutex> lock(mutex_);
    failures_++;
    didChange_.notify_all();
}

// MARK: Failed writes

Status Environment::LogFailure() {
    if (!hasLogFailure_.load(std::memory_order_acquire)) return Status::OK();
    std::lock_guard<std::mutex> lock(mutex_);
    return logFailure_;
}

void Environment::SetLogFailure(const Status &status) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (logFailure_.ok()) logFailure_ = status;
    hasLogFailure_.store(true, std::memory_order_release);
}

void Environment::Mark() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!logFailure_.ok()) return;
    for (auto &[path, log] : logs_) log->good = log->written.load();
}

int Environment::RollBack() {
    std::lock_guard<std::mutex> guard(mutex_);
    int error = logs_.empty() ? 0 : CutLogs(DirectoryOf(logs_.begin()->first));
    if (error != 0) return error;
    logFailure_ = Status::OK();
    hasLogFailure_ = false;
    return 0;
}

int Environment::CutLogs(const std::string &directory) {
    // Another process may have opened the database since LevelDB unlocked it, and must not lose its
    // writes.
    int error = 0;
    leveldb::FileLock *lock = LockDatabase(directory, &error);
    if (lock == nullptr) return error;
    for (auto &[path, log] : logs_) {
        uint64_t length = 0;
        Status status = target()->GetFileSize(path, &length);
        error = status.ok() || status.IsNotFound() ? 0 : errno;
        // If a log no longer exists, another opening has replayed it; if it is longer than this
        // environment has written, another opening has reused it.
        if (status.ok() && length > log->good && length <= log->written) {
            error = files_->Cut(path, log->good);
        }
        if (error != 0) break;
    }
    (void)target()->UnlockFile(lock);
    return error;
}

}  // namespace scrollback

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "Files.h"
#include "Replay.h"

namespace scrollback {

struct LogLength {
    /// The number of bytes that LevelDB has tried to write, at least the size of the file.
    std::atomic<uint64_t> written;
    /// The size of the good part: at the last mark, or when the log was opened.
    std::atomic<uint64_t> good;

    explicit LogLength(uint64_t length) : written(length), good(length) {}
};

/// The environment that LevelDB uses, which CLevelDBEnvironment.h describes.
class Environment final : public leveldb::EnvWrapper {
  public:
    explicit Environment(std::unique_ptr<Files> files);

    leveldb::Status NewSequentialFile(
        const std::string &path, leveldb::SequentialFile **result) override;
    leveldb::Status NewRandomAccessFile(
        const std::string &path, leveldb::RandomAccessFile **result) override;
    leveldb::Status NewWritableFile(
        const std::string &path, leveldb::WritableFile **result) override;
    leveldb::Status NewAppendableFile(
        const std::string &path, leveldb::WritableFile **result) override;
    leveldb::Status GetChildren(
        const std::string &path, std::vector<std::string> *result) override;
    leveldb::Status RemoveFile(const std::string &path) override;
    leveldb::Status CreateDir(const std::string &path) override;
    leveldb::Status RemoveDir(const std::string &path) override;
    leveldb::Status GetFileSize(const std::string &path, uint64_t *size) override;
    leveldb::Status RenameFile(const std::string &from, const std::string &to) override;
    leveldb::Status LockFile(const std::string &path, leveldb::FileLock **lock) override;
    leveldb::Status UnlockFile(leveldb::FileLock *lock) override;
    leveldb::Status NewLogger(const std::string &path, leveldb::Logger **result) override;

    /// If the logs have at least `least` bytes, makes LevelDB begin a new log, waits until the old
    /// ones are removed, and returns whether there are fewer bytes now.
    bool Flush(
        uint64_t least, std::chrono::milliseconds longest,
        const std::function<leveldb::Status()> &begin);

    void RefuseDamage(bool refuse);
    void Mark();
    int RollBack();
    Files &files() { return *files_; }
    leveldb::FileLock *LockDatabase(const std::string &directory, int *error);
    scrollback_log_report TakeLogReport();

    leveldb::Status SyncDirectoryOf(const std::string &path);

    /// Records that a file could not be created or written, so that LevelDB writes no table.
    void NoteFailure();

    /// Returns the error after which no log may grow any more, or OK.
    leveldb::Status LogFailure();
    void SetLogFailure(const leveldb::Status &status);

    template <class Body>
    auto WithReplay(Body body) {
        std::lock_guard<std::mutex> lock(mutex_);
        return body(replay_);
    }

  private:
    /// Returns why an opening must not create a file, or ok. The caller holds the mutex.
    leveldb::Status Refusal() const;
    leveldb::Status TryLock(const std::string &path, leveldb::FileLock **lock, int *error);
    int CutLogs(const std::string &directory);
    /// Returns the number of bytes that an opening would replay. The caller holds the mutex.
    uint64_t LoggedBytes() const;
    leveldb::WritableFile *Wrapped(
        const std::string &path, leveldb::WritableFile *file, uint64_t length);

    const std::unique_ptr<Files> files_;

    /// Protects the following members from LevelDB's background thread, which writes tables and
    /// removes logs.
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<LogLength>> logs_;
    leveldb::Status logFailure_;
    Replay replay_;
    bool refusesDamage_ = false;
    uint64_t failures_ = 0;
    /// Notified when a log is removed, and after each failure.
    std::condition_variable didChange_;

    /// True if `logFailure_` is set. An ordinary write reads only this flag, without the mutex.
    std::atomic<bool> hasLogFailure_{false};
};

}  // namespace scrollback

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

/// The sizes of a log.
struct LogLength {
    /// The maximum size of the file: the number of bytes that LevelDB has tried to write.
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

    /// If the logs have at least a given number of bytes, makes LevelDB begin a new log, and waits
    /// until the old logs are removed.
    ///
    /// The closure makes LevelDB begin the log. Returns whether the logs have fewer bytes now.
    bool Flush(
        uint64_t least, std::chrono::milliseconds longest,
        const std::function<leveldb::Status()> &begin);

    void RefuseDamage(bool refuse);
    void Mark();
    int RollBack();
    Files &files() { return *files_; }
    /// Locks a database; returns nullptr and an errno on failure.
    leveldb::FileLock *LockDatabase(const std::string &directory, int *error);
    scrollback_log_report TakeLogReport();

    /// Makes the name of a new file durable.
    leveldb::Status SyncDirectoryOf(const std::string &path);

    /// Records that a file could not be created or written, so that LevelDB writes no table.
    void NoteFailure();

    /// Returns the error of a log, or OK. After an error, no log may grow any more.
    leveldb::Status LogFailure();
    void SetLogFailure(const leveldb::Status &status);

    /// Calls a closure with the replay.
    ///
    /// No other thread accesses the replay during the call.
    template <class Body>
    auto WithReplay(Body body) {
        std::lock_guard<std::mutex> lock(mutex_);
        return body(replay_);
    }

  private:
    /// Returns the reason why an opening must not create a file; ok if there is none.
    ///
    /// The caller holds the mutex.
    leveldb::Status Refusal() const;
    leveldb::Status TryLock(const std::string &path, leveldb::FileLock **lock, int *error);
    int CutLogs(const std::string &directory);
    /// Returns the number of bytes that an opening would replay.
    ///
    /// The caller holds the mutex.
    uint64_t LoggedBytes() const;
    leveldb::WritableFile *Wrapped(
        const std::string &path, leveldb::WritableFile *file, uint64_t length);

    const std::unique_ptr<Files> files_;

    /// Protects the following members.
    ///
    /// LevelDB's background thread writes tables and removes logs while other threads write.
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<LogLength>> logs_;
    leveldb::Status logFailure_;
    Replay replay_;
    bool refusesDamage_ = false;
    /// The number of failures to create or write a file.
    uint64_t failures_ = 0;
    /// Notified when a log is removed, and after each failure.
    std::condition_variable didChange_;

    /// True if `logFailure_` is set.
    ///
    /// An ordinary write reads only this flag, and need not lock the mutex.
    std::atomic<bool> hasLogFailure_{false};
};

}  // namespace scrollback

#include "CFaultEnvironment.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <unistd.h>

#include "leveldb/env.h"
#include "leveldb/slice.h"

namespace {

using leveldb::Slice;
using leveldb::Status;

bool EndsWith(const std::string &path, const std::string &suffix) {
    return !suffix.empty() && path.size() >= suffix.size()
        && path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0;
}

/// Returns an error.
///
/// Also sets errno, as LevelDB's environment for disks does.
Status Error(const std::string &path, int error) {
    errno = error;
    return Status::IOError(path, std::strerror(error));
}

/// An error that calls for files with a suffix return.
struct Fault {
    std::string suffix;
    int error = 0;

    bool Hits(const std::string &path) const { return error != 0 && EndsWith(path, suffix); }
};

struct Written {
    uint64_t size;
    uint64_t synced;
    bool isKept;
};

class FaultEnvironment final : public leveldb::EnvWrapper {
  public:
    FaultEnvironment() : EnvWrapper(leveldb::Env::Default()) {}

    Status NewSequentialFile(const std::string &path, leveldb::SequentialFile **result) override;
    Status NewWritableFile(const std::string &path, leveldb::WritableFile **result) override;
    Status NewAppendableFile(const std::string &path, leveldb::WritableFile **result) override;

    Status RenameFile(const std::string &from, const std::string &to) override {
        return Change(from, [&] {
            Status status = target()->RenameFile(from, to);
            auto found = files_.find(from);
            if (status.ok() && found != files_.end()) {
                files_[to] = found->second;
                files_.erase(found);
            }
            return status;
        });
    }

    Status RemoveFile(const std::string &path) override {
        return Change(path, [&] {
            Status status = target()->RemoveFile(path);
            if (status.ok()) files_.erase(path);
            return status;
        });
    }

    Status CreateDir(const std::string &path) override {
        return Change(path, [&] { return target()->CreateDir(path); });
    }

    /// Makes a change of the disk, or returns an error instead.
    ///
    /// `body` runs while the mutex is locked.
    template <class Body>
    Status Change(const std::string &path, Body body) {
        std::lock_guard<std::mutex> lock(mutex);
        CountChange();
        if (int error = NextError()) return Error(path, error);
        return isFrozen ? Status::OK() : body();
    }

    Status Append(const std::string &path, leveldb::WritableFile *file, const Slice &bytes);
    Status Sync(const std::string &path, leveldb::WritableFile *file);
    int LoseUnsynced(fault_env_files which);

    std::mutex mutex;
    fault_env_counts counts = {};
    uint64_t failsFrom = UINT64_MAX, failsTo = UINT64_MAX;
    uint64_t freezesFrom = UINT64_MAX, killsAt = UINT64_MAX;
    int error = 0;
    Fault creates, syncs, opens, reads;
    bool tearsAppends = false, isFrozen = false, ignoresSyncs = false;

  private:
    void CountChange() {
        if (++counts.changes == killsAt) raise(SIGKILL);
        isFrozen = isFrozen || counts.changes >= freezesFrom;
    }

    int NextError() const {
        return counts.changes >= failsFrom && counts.changes <= failsTo ? error : 0;
    }

    Status Open(
        const std::string &path, Status (leveldb::Env::*open)(
            const std::string &, leveldb::WritableFile **), uint64_t length,
        leveldb::WritableFile **result);

    std::map<std::string, Written> files_;
};

/// A file for writing.
///
/// If it was opened after the power cut, it has no underlying file.
class FaultFile final : public leveldb::WritableFile {
  public:
    FaultFile(FaultEnvironment *environment, const std::string &path, leveldb::WritableFile *file)
        : environment_(environment), path_(path), file_(file) {}

    Status Append(const Slice &bytes) override {
        return environment_->Append(path_, file_.get(), bytes);
    }
    Status Flush() override {
        return environment_->Change(path_, [&] { return file_->Flush(); });
    }
    Status Sync() override { return environment_->Sync(path_, file_.get()); }
    Status Close() override {
        return environment_->Change(path_, [&] { return file_->Close(); });
    }

  private:
    FaultEnvironment *const environment_;
    const std::string path_;
    const std::unique_ptr<leveldb::WritableFile> file_;
};

class FaultSequentialFile final : public leveldb::SequentialFile {
  public:
    FaultSequentialFile(
        FaultEnvironment *environment, const std::string &path, leveldb::SequentialFile *file)
        : environment_(environment), path_(path), file_(file) {}

    Status Read(size_t count, Slice *result, char *scratch) override {
        {
            std::lock_guard<std::mutex> lock(environment_->mutex);
            if (environment_->reads.Hits(path_)) return Error(path_, environment_->reads.error);
        }
        return file_->Read(count, result, scratch);
    }
    Status Skip(uint64_t count) override { return file_->Skip(count); }

  private:
    FaultEnvironment *const environment_;
    const std::string path_;
    const std::unique_ptr<leveldb::SequentialFile> file_;
};

Status FaultEnvironment::NewSequentialFile(
    const std::string &path, leveldb::SequentialFile **result) {
    *result = nullptr;
    {
        std::lock_guard<std::mutex> lock(mutex);
        if (opens.Hits(path)) return Error(path, opens.error);
    }
    leveldb::SequentialFile *file = nullptr;
    Status status = target()->NewSequentialFile(path, &file);
    if (status.ok()) *result = new FaultSequentialFile(this, path, file);
    return status;
}

Status FaultEnvironment::Open(
    const std::string &path, Status (leveldb::Env::*open)(
        const std::string &, leveldb::WritableFile **), uint64_t length,
    leveldb::WritableFile **result) {
    *result = nullptr;
    leveldb::WritableFile *file = nullptr;
    Status status = Change(path, [&] {
        counts.opened_files++;
        if (creates.Hits(path)) return Error(path, creates.error);
        Status opened = (target()->*open)(path, &file);
        if (opened.ok()) files_[path] = {length, length, length > 0};
        return opened;
    });
    if (status.ok()) *result = new FaultFile(this, path, file);
    return status;
}

Status FaultEnvironment::NewWritableFile(
    const std::string &path, leveldb::WritableFile **result) {
    return Open(path, &leveldb::Env::NewWritableFile, 0, result);
}

Status FaultEnvironment::NewAppendableFile(
    const std::string &path, leveldb::WritableFile **result) {
    uint64_t length = 0;
    (void)target()->GetFileSize(path, &length);
    return Open(path, &leveldb::Env::NewAppendableFile, length, result);
}

Status FaultEnvironment::Append(
    const std::string &path, leveldb::WritableFile *file, const Slice &bytes) {
    Slice part = bytes;
    Status failure;
    int failed = 0;
    {
        std::lock_guard<std::mutex> lock(mutex);
        CountChange();
        counts.appends++;
        counts.appended_bytes += bytes.size();
        failed = NextError();
        if (failed != 0) {
            part = Slice(bytes.data(), tearsAppends ? bytes.size() / 2 : 0);
            failure = Error(path, failed);
        }
        if (isFrozen) part = Slice();
        // If the file was renamed or removed, it is not in `files_`.
        auto found = files_.find(path);
        if (found != files_.end()) found->second.size += part.size();
    }
    if (part.size() > 0) {
        Status status = file->Append(part);
        if (status.ok() && !failure.ok()) status = file->Flush();
        if (!status.ok()) return status;
    }
    if (!failure.ok()) errno = failed;
    return failure;
}

Status FaultEnvironment::Sync(const std::string &path, leveldb::WritableFile *file) {
    return Change(path, [&] {
        counts.syncs++;
        if (syncs.Hits(path)) return Error(path, syncs.error);
        Status status = file->Flush();
        // The file is not synced to the real disk, because a power cut is simulated by removing
        // data.
        auto found = files_.find(path);
        if (status.ok() && !ignoresSyncs && found != files_.end()) {
            found->second.synced = found->second.size;
            found->second.isKept = true;
        }
        return status;
    });
}

int FaultEnvironment::LoseUnsynced(fault_env_files which) {
    std::lock_guard<std::mutex> lock(mutex);
    // The names of logs have equal lengths, so the last one in the order of names is the newest.
    std::string newestLog;
    for (auto &[path, file] : files_) {
        if (EndsWith(path, ".log")) newestLog = path;
    }
    int count = 0;
    for (auto &[path, file] : files_) {
        bool isOldLog = EndsWith(path, ".log") && path != newestLog;
        if (which == fault_env_old_logs && !isOldLog) continue;
        if (file.isKept && file.size == file.synced) continue;
        int result = file.isKept ? truncate(path.c_str(), static_cast<off_t>(file.synced))
                                 : unlink(path.c_str());
        if (result == 0) count++;
    }
    files_.clear();
    return count;
}

}  // namespace

struct fault_env {
    FaultEnvironment environment;

    /// Changes the environment's state while the mutex is locked.
    template <class Body>
    auto With(Body body) {
        std::lock_guard<std::mutex> lock(environment.mutex);
        return body(environment);
    }
};

fault_env *fault_env_create(void) { return new fault_env; }

void fault_env_destroy(fault_env *env) { delete env; }

scrollback_base_env *fault_env_base(fault_env *env) {
    return reinterpret_cast<scrollback_base_env *>(static_cast<leveldb::Env *>(&env->environment));
}

void fault_env_fail_after(fault_env *env, uint64_t n, int error) {
    env->With([&](FaultEnvironment &faults) {
        faults.failsFrom = faults.counts.changes + n;
        faults.failsTo = UINT64_MAX;
        faults.error = error;
    });
}

void fault_env_fail_once(fault_env *env, uint64_t n, int error) {
    env->With([&](FaultEnvironment &faults) {
        faults.failsFrom = faults.failsTo = faults.counts.changes + n;
        faults.error = error;
    });
}

void fault_env_kill_at(fault_env *env, uint64_t n) {
    env->With([&](FaultEnvironment &faults) { faults.killsAt = faults.counts.changes + n; });
}

void fault_env_fail_creates(fault_env *env, const char *suffix, int error) {
    env->With([&](FaultEnvironment &faults) { faults.creates = {suffix, error}; });
}

void fault_env_fail_syncs(fault_env *env, const char *suffix, int error) {
    env->With([&](FaultEnvironment &faults) { faults.syncs = {suffix, error}; });
}

void fault_env_fail_opens(fault_env *env, const char *suffix, int error) {
    env->With([&](FaultEnvironment &faults) { faults.opens = {suffix, error}; });
}

void fault_env_fail_reads(fault_env *env, const char *suffix, int error) {
    env->With([&](FaultEnvironment &faults) { faults.reads = {suffix, error}; });
}

void fault_env_tear_appends(fault_env *env, bool tear) {
    env->With([&](FaultEnvironment &faults) { faults.tearsAppends = tear; });
}

void fault_env_heal(fault_env *env) {
    env->With([](FaultEnvironment &faults) {
        faults.failsFrom = faults.failsTo = UINT64_MAX;
        faults.creates = faults.syncs = faults.opens = faults.reads = {};
    });
}

void fault_env_freeze(fault_env *env) {
    env->With([](FaultEnvironment &faults) { faults.isFrozen = true; });
}

void fault_env_freeze_after(fault_env *env, uint64_t n) {
    env->With([&](FaultEnvironment &faults) { faults.freezesFrom = faults.counts.changes + n; });
}

void fault_env_ignore_syncs(fault_env *env, bool ignore) {
    env->With([&](FaultEnvironment &faults) { faults.ignoresSyncs = ignore; });
}

int fault_env_lose_unsynced(fault_env *env, fault_env_files which) {
    return env->environment.LoseUnsynced(which);
}

fault_env_counts fault_env_counted(fault_env *env) {
    return env->With([](FaultEnvironment &faults) { return faults.counts; });
}

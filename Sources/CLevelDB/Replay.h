#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "CLevelDBEnvironment.h"
#include "leveldb/status.h"

namespace scrollback {

/// The state of LevelDB's replay when it opens a database, which this class follows to find missing
/// and damaged batches.
///
/// LevelDB reads the manifest, then each log that is not in tables yet, oldest first, and then
/// creates a file. Each log record is a write batch: the sequence number of its first operation,
/// then the number of operations. Sequence numbers are contiguous, within a log and from one log to
/// the next. They are never lower than expected: LevelDB continues from the highest number in the
/// manifest or a log.
///
/// They could be higher although no batch is missing: after a power failure or a rollback has
/// truncated a log, its last number may be lower than the number in the manifest, and LevelDB's
/// next batch in that log would not continue its numbers. Therefore such a log is not reused.
class Replay {
  public:
    /// On-disk format of LevelDB, do not change: the two numbers have eight and four bytes.
    static constexpr size_t kBatchHeader = 12;

    void ManifestRecord(const std::string &record);

    void BeginLog(uint64_t number);
    /// Receives the size of a record, and the header of its batch; the whole record if it is
    /// shorter.
    void LogRecord(const std::string &head, uint64_t size);
    void Damage();
    void EndLog(bool isTorn);
    /// Returns whether a record since the last call has sequence numbers at which LevelDB would
    /// trap.
    bool TakeImpossible() { return std::exchange(isImpossible_, false); }
    /// Records that a log could not be read, which LevelDB would ignore and remove.
    void Fail(const leveldb::Status &status);

    /// When LevelDB creates a file, it has replayed all logs.
    void End();

    /// Records that a manifest or log of this size is intact up to its last byte.
    void NoteWhole(const std::string &path, uint64_t size) { whole_[path] = size; }
    bool IsWhole(const std::string &path, uint64_t size) const;

    /// Returns whether the next batch would not continue the sequence numbers of the last log.
    bool WouldBreak() const;

    /// The reason why the opening must fail, or ok.
    const leveldb::Status &failure() const { return failure_; }

    /// True if the current log has a break or damage so far.
    bool isSuspect() const { return isSuspect_; }

    const scrollback_log_report &report() const { return report_; }
    void ForgetReport() { report_ = {}; }

  private:
    uint64_t OldestLog() const;
    void Count(uint64_t *places, uint64_t log);

    scrollback_log_report report_ = {};
    leveldb::Status failure_;

    /// The oldest log that is needed, and the highest sequence number when the manifest first named
    /// it, which the log's first batch exceeds at most by one.
    uint64_t oldestLog_ = 0;
    uint64_t sequenceAtOldestLog_ = 0;
    uint64_t sequenceOfManifest_ = 0;
    uint64_t nextFile_ = 0;
    bool hasManifest_ = false;
    bool isOver_ = false;

    uint64_t log_ = 0;
    bool isSuspect_ = false, isImpossible_ = false;
    std::optional<uint64_t> next_;
    std::optional<uint64_t> tornLog_;
    std::map<std::string, uint64_t> whole_;
};

}  // namespace scrollback

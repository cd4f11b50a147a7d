#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "CLevelDBEnvironment.h"
#include "leveldb/status.h"

namespace scrollback {

/// The state of LevelDB's replay when it opens a database.
///
/// By following the replay, this class finds missing and damaged batches. LevelDB first reads the
/// manifest, then each log that is not in tables yet, in the order in which the logs were written,
/// and then creates a file.
///
/// Each log record is a write batch: the sequence number of its first operation, then the number of
/// operations. Sequence numbers are contiguous, within a log and from one log to the next. They are
/// never lower than expected: LevelDB continues from the highest number in the manifest or a log,
/// even if it reuses a log.
///
/// There is a case in which they could be higher than expected although no batch is missing: if a
/// power failure truncated a log, or a failed write was rolled back, the log's last number may be
/// lower than the number in the manifest. If LevelDB reused that log, its next batch would not
/// continue the log's numbers. Therefore such a log is not reused.
class Replay {
  public:
    /// The size of the two numbers in a log record: eight and four bytes.
    ///
    /// LevelDB's format, DO NOT CHANGE.
    static constexpr size_t kBatchHeader = 12;

    /// Processes a record of the manifest.
    void ManifestRecord(const std::string &record);

    /// Begins the replay of a log.
    void BeginLog(uint64_t number);
    /// Processes a record of the current log, given its size and the header of its batch, or the
    /// whole record if it is shorter than a header.
    void LogRecord(const std::string &head, uint64_t size);
    /// Records damage of the current log.
    void Damage();
    /// Ends the current log, which may end within a record.
    void EndLog(bool isTorn);
    /// Returns whether a record since the last call has sequence numbers at which LevelDB would
    /// trap.
    bool TakeImpossible() { return std::exchange(isImpossible_, false); }
    /// Records that a log could not be read.
    ///
    /// LevelDB would continue without the log, and remove it.
    void Fail(const leveldb::Status &status);

    /// Records that LevelDB creates a file, and therefore has replayed all logs.
    void End();

    /// Records that a manifest or log of this size is intact up to its last byte.
    void NoteWhole(const std::string &path, uint64_t size) { whole_[path] = size; }
    bool IsWhole(const std::string &path, uint64_t size) const;

    /// Returns whether the next batch would have a sequence number that does not continue the last
    /// log, as if batches were missing.
    bool WouldBreak() const;

    /// The reason why the opening must fail; ok if it need not.
    const leveldb::Status &failure() const { return failure_; }

    /// True if the current log has a break or damage so far.
    bool isSuspect() const { return isSuspect_; }

    const scrollback_log_report &report() const { return report_; }
    void ForgetReport() { report_ = {}; }

  private:
    /// Returns the oldest log that must exist.
    uint64_t OldestLog() const;
    void Count(uint64_t *places, uint64_t log);

    scrollback_log_report report_ = {};
    leveldb::Status failure_;

    /// The oldest log that is needed, and the highest sequence number at the time when the manifest
    /// first named that log.
    ///
    /// The sequence number of the log's first batch is at most one higher.
    uint64_t oldestLog_ = 0;
    uint64_t sequenceAtOldestLog_ = 0;
    /// The highest sequence number in the manifest.
    uint64_t sequenceOfManifest_ = 0;
    bool hasManifest_ = false;
    bool isOver_ = false;

    uint64_t log_ = 0;
    bool isSuspect_ = false, isImpossible_ = false;
    std::optional<uint64_t> next_;
    std::optional<uint64_t> tornLog_;
    std::map<std::string, uint64_t> whole_;
};

}  // namespace scrollback

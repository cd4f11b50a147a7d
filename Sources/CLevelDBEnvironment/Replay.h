#ifndef SCROLLBACK_REPLAY_H
#define SCROLLBACK_REPLAY_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "CLevelDBEnvironment.h"
#include "leveldb/status.h"

namespace scrollback {

/// The state of the manifest and the logs that LevelDB replays when it opens a database: first the
/// manifest, then each log that is not in tables yet, in the order in which they were written, then
/// a new file.
///
/// Each log record is a write batch: the sequence number of its first operation, then the number of
/// operations. The sequence numbers are contiguous, within a log and from one log to the next. They
/// are never lower than expected: LevelDB continues from the highest number in the manifest or a
/// log, also when it reuses a log. They would be higher, without any missing batch, if a log were
/// reused while the manifest contains a higher number than the log: after a power failure that
/// truncated the log, or after a failed write was rolled back. Such a log is therefore not reused.
class Replay {
  public:
    /// The size of these two numbers in a log record: eight bytes, then four.
    ///
    /// LevelDB's format, DO NOT CHANGE.
    static constexpr size_t kBatchHeader = 12;

    /// Processes a record of the manifest.
    void ManifestRecord(const std::string &record);

    /// Begins the replay of a log.
    void BeginLog(uint64_t number);
    /// Processes a record of the current log: the header of its batch, or all of the record if it
    /// is shorter, and its size.
    void LogRecord(const std::string &head, uint64_t size);
    /// Notes a damaged place in the current log.
    void Damage();
    /// Ends the current log, within a record or not.
    void EndLog(bool isTorn);
    /// True if a record since the last call has sequence numbers from which LevelDB cannot
    /// continue, and at which it traps.
    bool TakeImpossible() { return std::exchange(isImpossible_, false); }
    /// Notes that a log could not be read.
    ///
    /// LevelDB would continue without it, and remove it.
    void Fail(const leveldb::Status &status);

    /// Notes that LevelDB creates a file, and has therefore replayed all logs.
    void End();

    /// Notes that a manifest or log of this size is intact up to its last byte.
    void NoteWhole(const std::string &path, uint64_t size) { whole_[path] = size; }
    bool IsWhole(const std::string &path, uint64_t size) const;

    /// True if the next batch, with the sequence number after the highest known one, would seem to
    /// follow missing batches in the last log.
    bool WouldBreak() const;

    /// The reason why the opening must fail, if it must.
    const leveldb::Status &failure() const { return failure_; }

    /// True if the current log has a break or damage so far.
    bool isSuspect() const { return isSuspect_; }

    const scrollback_log_report &report() const { return report_; }
    void ForgetReport() { report_ = {}; }

  private:
    /// Returns the log that must exist, if there is one.
    uint64_t OldestLog() const;
    void Count(uint64_t *places, uint64_t log);

    scrollback_log_report report_ = {};
    leveldb::Status failure_;

    /// The oldest log that is needed, and the highest sequence number used when the manifest first
    /// named it: the number of its first batch is at most one higher.
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

#endif

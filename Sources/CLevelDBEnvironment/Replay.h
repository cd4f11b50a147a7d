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

/// What is seen of the manifest and the logs while LevelDB opens a database: first the manifest,
/// then each log that is not in tables yet, in the order they were written, then a new file.
///
/// Each log record is a write batch: the number of its first operation, then how many there are.
/// The numbers are contiguous, within a log and from one to the next. They are never lower than
/// expected: LevelDB goes on behind the highest number that the manifest or a log tells of, also
/// when it reuses a log. They would be higher, though nothing is missing in the middle, if a log
/// were reused while the manifest tells of more than the log holds: a power cut took its end, or a
/// failed write was taken back. So such a log is not reused.
class Replay {
  public:
    /// How many bytes of a log record say that: eight, then four. DO NOT CHANGE: LevelDB's format.
    static constexpr size_t kBatchHeader = 12;

    /// Takes a record of the manifest.
    void ManifestRecord(const std::string &record);

    /// A log is replayed now.
    void BeginLog(uint64_t number);
    /// Takes a record of that log: the header of its batch, or all if it has less, and its size.
    void LogRecord(const std::string &head, uint64_t size);
    /// A place in that log is damaged.
    void Damage();
    /// That log is over, within a record or not.
    void EndLog(bool isTorn);
    /// Whether a record since the last call has numbers that LevelDB cannot count on from, and traps at.
    bool TakeImpossible() { return std::exchange(isImpossible_, false); }
    /// A log could not be read. LevelDB would go on without it, and remove it.
    void Fail(const leveldb::Status &status);

    /// LevelDB creates a file: what it replays, it has replayed.
    void End();

    /// Notes that a manifest or log of this size is whole to its last byte.
    void NoteWhole(const std::string &path, uint64_t size) { whole_[path] = size; }
    bool IsWhole(const std::string &path, uint64_t size) const;

    /// Whether the next batch, numbered behind all that LevelDB knows of, would seem to come after
    /// missing ones in the last log.
    bool WouldBreak() const;

    /// Why the opening must fail, if it must.
    const leveldb::Status &failure() const { return failure_; }

    /// Whether the log that is replayed has a break or damage so far.
    bool isSuspect() const { return isSuspect_; }

    const scrollback_log_report &report() const { return report_; }
    void ForgetReport() { report_ = {}; }

  private:
    /// The log that must be there, if any is.
    uint64_t OldestLog() const;
    void Count(uint64_t *places, uint64_t log);

    scrollback_log_report report_ = {};
    leveldb::Status failure_;

    /// The oldest log that is needed, and the highest number used when the manifest first named it:
    /// its first batch is numbered no higher than the next one.
    uint64_t oldestLog_ = 0;
    uint64_t sequenceAtOldestLog_ = 0;
    /// The highest number that the manifest tells of.
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

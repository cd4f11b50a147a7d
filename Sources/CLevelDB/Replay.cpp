#include "Replay.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace scrollback {
namespace {

class Fields {
  public:
    explicit Fields(const std::string &bytes) : bytes_(bytes) {}

    bool isAtEnd() const { return at_ == bytes_.size(); }

    bool Integer(uint64_t *value) {
        *value = 0;
        for (int shift = 0; shift < 64 && !isAtEnd(); shift += 7) {
            uint64_t byte = static_cast<uint8_t>(bytes_[at_++]);
            *value |= (byte & 0x7f) << shift;
            if (byte < 0x80) return true;
        }
        return false;
    }

    bool SkipIntegers(int count) {
        for (uint64_t value; count > 0; count--) {
            if (!Integer(&value)) return false;
        }
        return true;
    }

    bool SkipBytes() {
        uint64_t count;
        if (!Integer(&count) || count > bytes_.size() - at_) return false;
        at_ += count;
        return true;
    }

  private:
    const std::string &bytes_;
    size_t at_ = 0;
};

struct Edit {
    std::optional<uint64_t> log, nextFile, sequence;
};

/// Returns false if the manifest record cannot be decoded.
bool ReadEdit(const std::string &record, Edit *edit) {
    // On-disk format of LevelDB's manifest, do not change.
    enum Tag {
        kComparator = 1, kLog = 2, kNextFile = 3, kLastSequence = 4, kCompactPointer = 5,
        kRemovedFile = 6, kNewFile = 7, kPreviousLog = 9,
    };
    Fields fields(record);
    while (!fields.isAtEnd()) {
        uint64_t tag, value;
        if (!fields.Integer(&tag)) return false;
        bool isRead = false;
        switch (tag) {
        case kComparator: isRead = fields.SkipBytes(); break;
        case kLog: isRead = fields.Integer(&value); edit->log = value; break;
        case kNextFile: isRead = fields.Integer(&value); edit->nextFile = value; break;
        case kPreviousLog: isRead = fields.SkipIntegers(1); break;
        case kLastSequence: isRead = fields.Integer(&value); edit->sequence = value; break;
        case kCompactPointer: isRead = fields.SkipIntegers(1) && fields.SkipBytes(); break;
        case kRemovedFile: isRead = fields.SkipIntegers(2); break;
        case kNewFile:
            isRead = fields.SkipIntegers(3) && fields.SkipBytes() && fields.SkipBytes();
            break;
        }
        if (!isRead) return false;
    }
    return true;
}

std::string NameOfLog(uint64_t number) {
    char name[32];
    std::snprintf(name, sizeof(name), "%06" PRIu64 ".log", number);
    return name;
}

uint64_t Fixed(const std::string &bytes, size_t at, size_t count) {
    uint64_t value = 0;
    for (size_t index = count; index > 0; index--) {
        value = value << 8 | static_cast<uint8_t>(bytes[at + index - 1]);
    }
    return value;
}

/// LevelDB has 56 bits for sequence numbers, but no database reaches the highest bit.
constexpr uint64_t kGreatestSequence = uint64_t(1) << 55;

/// More files than LevelDB creates before it writes its next file number to the manifest.
constexpr uint64_t kUnrecordedFiles = 1 << 20;

}  // namespace

void Replay::ManifestRecord(const std::string &record) {
    Edit edit;
    // LevelDB itself rejects a manifest with a record that cannot be decoded.
    if (!ReadEdit(record, &edit)) return;
    hasManifest_ = true;
    nextFile_ = std::max(nextFile_, edit.nextFile.value_or(0));
    sequenceOfManifest_ = std::max(sequenceOfManifest_, edit.sequence.value_or(0));
    // Each later edit has a higher sequence number, but only an edit for a new log has a log
    // number.
    if (edit.log && *edit.log != oldestLog_) {
        oldestLog_ = *edit.log;
        sequenceAtOldestLog_ = edit.sequence.value_or(UINT64_MAX - 1);
    }
}

void Replay::BeginLog(uint64_t number) {
    // The oldest needed log must exist, because a log is on disk before the manifest names it.
    if (report_.logs == 0 && hasManifest_ && number > OldestLog()) {
        Count(&report_.damaged, OldestLog());
    }
    // LevelDB would number its next files from there, until the numbers overflow.
    if (hasManifest_ && number >= nextFile_ && number - nextFile_ > kUnrecordedFiles) {
        Fail(leveldb::Status::Corruption(NameOfLog(number), "the number of the file is too great"));
    }
    report_.logs++;
    log_ = number;
    isSuspect_ = false;
}

void Replay::LogRecord(const std::string &head, uint64_t size) {
    if (head.size() < kBatchHeader) return Damage();
    uint64_t sequence = Fixed(head, 0, 8), count = Fixed(head, 8, 4);
    // The record is too short for the operations (each has at least two bytes), or LevelDB's
    // calculation of the last number would overflow.
    if (sequence > kGreatestSequence || count > (size - kBatchHeader) / 2 || sequence + count == 0) {
        isImpossible_ = true;
        return Damage();
    }
    bool isFirst = !next_ && hasManifest_;
    if (next_ ? sequence != *next_ : isFirst && sequence > sequenceAtOldestLog_ + 1) {
        isSuspect_ = true;
        Count(&report_.breaks, tornLog_.value_or(log_));
    }
    // A torn record before this one is no damage if the numbers continue here: LevelDB has
    // continued after the record was lost. Otherwise, the break was already reported.
    tornLog_.reset();
    report_.batches++;
    next_ = sequence + count;
}

void Replay::Damage() {
    isSuspect_ = true;
    Count(&report_.damaged, log_);
}

void Replay::EndLog(bool isTorn) {
    if (isTorn) tornLog_ = log_;
    report_.torn_tail = tornLog_.has_value();
}

void Replay::Fail(const leveldb::Status &status) {
    if (failure_.ok()) failure_ = status;
}

void Replay::End() {
    if (!isOver_ && report_.logs == 0 && oldestLog_ > 0) Count(&report_.damaged, oldestLog_);
    isOver_ = true;
}

bool Replay::IsWhole(const std::string &path, uint64_t size) const {
    auto found = whole_.find(path);
    return found != whole_.end() && found->second == size;
}

uint64_t Replay::OldestLog() const {
    // LevelDB gives this number to the first log of a new database, whose first manifest names no
    // log.
    const uint64_t firstLog = 3;
    return oldestLog_ > 0 ? oldestLog_ : firstLog;
}

bool Replay::WouldBreak() const {
    return sequenceOfManifest_ > (next_ ? *next_ - 1 : sequenceAtOldestLog_);
}

void Replay::Count(uint64_t *places, uint64_t log) {
    (*places)++;
    if (report_.first_damaged[0] != 0) return;
    std::snprintf(
        report_.first_damaged, sizeof(report_.first_damaged), "%s", NameOfLog(log).c_str());
}

}  // namespace scrollback

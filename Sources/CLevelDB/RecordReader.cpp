#include "RecordReader.h"

#include <algorithm>
#include <utility>

#include "CLevelDBEnvironment.h"

namespace scrollback {
namespace {

// On-disk format of LevelDB's logs, do not change.
constexpr size_t kBlockSize = scrollback_log_block_size;
constexpr size_t kHeaderSize = scrollback_log_header_size;
enum Type { kZero = 0, kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

uint32_t Byte(const char *bytes, size_t index) { return static_cast<uint8_t>(bytes[index]); }

size_t Length(const char *header) { return Byte(header, 4) | Byte(header, 5) << 8; }

bool HasGoodChecksum(const char *header) {
    uint32_t stored = Byte(header, 0) | Byte(header, 1) << 8 | Byte(header, 2) << 16
        | Byte(header, 3) << 24;
    return scrollback_checksum(header + 6, 1 + Length(header)) == stored;
}

/// Returns whether a fragment starts anywhere in the bytes; few positions pass the first two tests.
bool HoldsFragment(const char *bytes, size_t count) {
    for (; count >= kHeaderSize; bytes++, count--) {
        if (bytes[6] >= kFull && bytes[6] <= kLast && kHeaderSize + Length(bytes) <= count
            && HasGoodChecksum(bytes)) {
            return true;
        }
    }
    return false;
}

}  // namespace

RecordReader::RecordReader(size_t kept, OnRecord onRecord, OnDamage onDamage)
    : kept_(kept), onRecord_(std::move(onRecord)), onDamage_(std::move(onDamage)) {}

void RecordReader::Read(const char *bytes, size_t count) {
    length_ += count;
    while (count > 0) {
        if (block_.empty() && count >= kBlockSize) {
            Block(bytes, kBlockSize);
            bytes += kBlockSize;
            count -= kBlockSize;
            continue;
        }
        size_t part = std::min(count, kBlockSize - block_.size());
        block_.append(bytes, part);
        bytes += part;
        count -= part;
        if (block_.size() == kBlockSize) {
            Block(block_.data(), kBlockSize);
            block_.clear();
        }
    }
}

void RecordReader::End() {
    Block(block_.data(), block_.size());
    block_.clear();
    isTorn_ = isTorn_ || isInRecord_ || isInZeros_;
}

/// Only the last block may be shorter than the others.
void RecordReader::Block(const char *bytes, size_t count) {
    for (size_t at = 0; at < count && kBlockSize - at >= kHeaderSize;) {
        const char *header = bytes + at;
        size_t rest = count - at;
        if (rest < kHeaderSize) {
            isTorn_ = true;
            return;
        }
        size_t size = kHeaderSize + Length(header);
        int type = static_cast<uint8_t>(header[6]);
        if (type == kZero && size == kHeaderSize) return Zeros(header, rest);
        if (size > kBlockSize - at) return Damage();
        if (size > rest) {
            // Nothing follows a record that a crash has truncated. If a fragment follows, the
            // length is wrong, and LevelDB has dropped the fragment as a part of the record.
            if (HoldsFragment(header + 1, rest - 1)) return Damage();
            isTorn_ = true;
            return;
        }
        if (!HasGoodChecksum(header)) return Damage();
        Fragment(type, header + kHeaderSize, size - kHeaderSize);
        at += size;
    }
}

void RecordReader::Fragment(int type, const char *payload, size_t count) {
    if (isInZeros_) Damage();
    switch (type) {
    case kFull:
    case kFirst:
        // Old versions wrote an empty first fragment at the end of a block, and began the record
        // again in the next block.
        if (isInRecord_ && size_ > 0) Damage();
        isResyncing_ = false;
        isInRecord_ = true;
        head_.clear();
        size_ = 0;
        break;
    case kMiddle:
    case kLast:
        if (!isInRecord_) {
            if (!isResyncing_) Damage();
            isResyncing_ = type == kMiddle;
            return;
        }
        break;
    default:
        return Damage();
    }
    head_.append(payload, std::min(count, kept_ - head_.size()));
    size_ += count;
    if (type == kFull || type == kLast) {
        isInRecord_ = false;
        onRecord_(head_, size_);
    }
}

/// Processes the rest of a block that starts with a header of zeros.
///
/// After a power failure, some file systems leave zeros where a file had grown. Therefore zeros up
/// to the end of the file are a torn tail, while zeros before a record are damage.
void RecordReader::Zeros(const char *bytes, size_t count) {
    if (!std::all_of(bytes, bytes + count, [](char byte) { return byte == 0; })) return Damage();
    isInRecord_ = false;
    isInZeros_ = true;
}

void RecordReader::Damage() {
    isDamaged_ = true;
    isInZeros_ = false;
    isInRecord_ = false;
    isResyncing_ = true;
    onDamage_();
}

}  // namespace scrollback

#include "SealedStream.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "Files.h"

namespace scrollback {

using leveldb::Slice;
using leveldb::Status;

namespace {

constexpr size_t kCheckSize = 4, kLengthAt = kCheckSize, kOffsetAt = kLengthAt + 2,
                 kNonceAt = kOffsetAt + 8;

bool AreZeros(const char *bytes, size_t count) {
    return std::all_of(bytes, bytes + count, [](char byte) { return byte == 0; });
}

/// Returns the data that is authenticated together with a record.
std::string Bound(const char *record, uint64_t at) {
    std::string bound(record + kLengthAt, kNonceAt - kLengthAt);
    PutInteger(&bound, at, 8);
    return bound;
}

uint32_t Check(const char *record) {
    return scrollback_checksum(record + kLengthAt, SealedStream::kRecordHeader - kLengthAt);
}

class WrittenStream final : public leveldb::WritableFile {
  public:
    WrittenStream(
        std::unique_ptr<leveldb::WritableFile> file, std::unique_ptr<FileKey> key,
        const std::string &header, uint64_t plainAt, uint64_t at)
        : file_(std::move(file)), key_(std::move(key)), plainAt_(plainAt), at_(at) {
        if (at == 0) Put(header);
    }

    Status Append(const Slice &bytes) override {
        if (failure_.ok()) plain_.append(bytes.data(), bytes.size());
        return failure_;
    }

    Status Flush() override {
        Seal();
        return failure_.ok() ? file_->Flush() : failure_;
    }

    Status Sync() override {
        Seal();
        return failure_.ok() ? file_->Sync() : failure_;
    }

    Status Close() override {
        Seal();
        Status status = file_->Close();
        return failure_.ok() ? status : failure_;
    }

  private:
    void Put(const std::string &bytes) {
        sealed_ += bytes;
        at_ += bytes.size();
    }

    /// After a failure, the content of the file is unknown, so nothing more is appended.
    void Seal() {
        if (!failure_.ok()) return;
        for (size_t next = 0; next < plain_.size();) {
            size_t room = SealedStream::kBlock - at_ % SealedStream::kBlock;
            if (room <= SealedStream::kOverhead) {
                Put(std::string(room, 0));
                continue;
            }
            size_t count = std::min(plain_.size() - next, room - SealedStream::kOverhead);
            SealRecord(plain_.data() + next, count);
            next += count;
        }
        plain_.clear();
        if (failure_.ok() && !sealed_.empty()) failure_ = file_->Append(sealed_);
        sealed_.clear();
    }

    void SealRecord(const char *plain, size_t count) {
        uint64_t begin = at_;
        std::string record(kCheckSize, 0);
        PutInteger(&record, count, 2);
        PutInteger(&record, plainAt_, 8);
        record.resize(SealedStream::kOverhead + count);
        key_->Randomize(&record[kNonceAt], kNonceSize);
        std::string check;
        PutInteger(&check, Check(record.data()), kCheckSize);
        std::memcpy(&record[0], check.data(), kCheckSize);
        bool isSealed = key_->Seal(
            &record[kNonceAt], Bound(record.data(), begin), plain, count,
            &record[SealedStream::kRecordHeader]);
        if (!isSealed) failure_ = Status::IOError("a record cannot be sealed");
        plainAt_ += count;
        Put(record);
    }

    const std::unique_ptr<leveldb::WritableFile> file_;
    const std::unique_ptr<FileKey> key_;
    std::string plain_, sealed_;
    uint64_t plainAt_, at_;
    Status failure_;
};

}  // namespace

leveldb::WritableFile *SealedStream::Written(
    std::unique_ptr<leveldb::WritableFile> file, std::unique_ptr<FileKey> key,
    const std::string &header, uint64_t plainAt, uint64_t at) {
    return new WrittenStream(std::move(file), std::move(key), header, plainAt, at);
}

// MARK: Reading

Status SealedStreamReader::Read(size_t count, Slice *result, char *scratch) {
    size_t have = 0;
    while (have < count) {
        if (filler_ > 0) {
            size_t part = std::min<uint64_t>(filler_, count - have);
            std::memset(scratch + have, 0xFF, part);
            filler_ -= part;
            have += part;
        } else if (taken_ < bytes_.size()) {
            size_t part = std::min(bytes_.size() - taken_, count - have);
            std::memcpy(scratch + have, bytes_.data() + taken_, part);
            taken_ += part;
            have += part;
        } else {
            Status status;
            bool hasMore = Next(&status);
            if (!status.ok()) return status;
            if (!hasMore) break;
        }
    }
    *result = Slice(scratch, have);
    return Status::OK();
}

Status SealedStreamReader::Skip(uint64_t count) { return SkipByReading(this, count); }

Status SealedStreamReader::LoadBlock() {
    blockAt_ += block_.size();
    at_ = 0;
    block_.resize(SealedStream::kBlock);
    size_t have = 0;
    Status status = ReadFully(file_.get(), block_.size(), &block_[0], &have);
    block_.resize(status.ok() ? have : 0);
    return status;
}

void SealedStreamReader::ReadHeader() {
    if (block_.size() < SealedHeader::kSize) {
        Tear();
        return EndBlock();
    }
    at_ = end_ = SealedHeader::kSize;
    if (AreZeros(block_.data(), SealedHeader::kSize)) return Tear();
    if (header_.Read(block_.data(), block_.size())) {
        key_ = FileKey::Find(cipher_, identity_, header_);
    }
    if (key_ == nullptr) Damage();
}

bool SealedStreamReader::Next(Status *status) {
    filler_ = 0;
    bytes_.clear();
    taken_ = 0;
    while (!isAtEnd_) {
        if (at_ < block_.size()) {
            if (Record()) return true;
            continue;
        }
        bool isFirst = blockAt_ == 0 && block_.empty();
        *status = LoadBlock();
        if (!status->ok()) return false;
        if (block_.empty()) {
            isAtEnd_ = true;
            End();
            return filler_ > 0 || !bytes_.empty();
        }
        if (isFirst) ReadHeader();
    }
    return false;
}

bool SealedStreamReader::Record() {
    const char *record = block_.data() + at_;
    size_t rest = block_.size() - at_, room = SealedStream::kBlock - at_;
    if (room <= SealedStream::kOverhead || AreZeros(record, rest)) {
        // After a power failure, some file systems leave zeros in place of a record.
        if (!AreZeros(record, rest)) {
            Damage();
        } else if (room > SealedStream::kOverhead || rest < room) {
            Tear();
        } else {
            end_ = blockAt_ + block_.size();
        }
        EndBlock();
        return false;
    }
    if (rest < SealedStream::kRecordHeader) {
        Tear();
        EndBlock();
        return false;
    }
    size_t count = GetInteger(record + kLengthAt, 2);
    bool isHeader = GetInteger(record, kCheckSize) == Check(record) && count > 0
        && count <= room - SealedStream::kOverhead;
    if (!isHeader) {
        Damage();
        EndBlock();
        return false;
    }
    if (SealedStream::kOverhead + count > rest) {
        Tear();
        EndBlock();
        return false;
    }
    uint64_t begin = blockAt_ + at_, offset = GetInteger(record + kOffsetAt, 8);
    at_ += SealedStream::kOverhead + count;
    bytes_.resize(count);
    bool isOpen = key_ != nullptr
        && (purpose_ == Purpose::kLengths
            || key_->Open(
                record + kNonceAt, Bound(record, begin), record + SealedStream::kRecordHeader,
                count, &bytes_[0]));
    if (!isOpen || offset < plain_ || (offset - plain_) > blockAt_ + at_) {
        bytes_.clear();
        Damage();
        return false;
    }
    if (offset > plain_) Damage();
    filler_ = offset - plain_;
    plain_ = offset + count;
    end_ = blockAt_ + at_;
    isTorn_ = isDamaged_ = false;
    return true;
}

void SealedStreamReader::Damage() { isDamaged_ = wasDamaged_ = true; }

void SealedStreamReader::End() {
    size_t room = scrollback_log_block_size - plain_ % scrollback_log_block_size;
    bool hasHeader = room >= scrollback_log_header_size;
    if (isDamaged_) {
        // The replacement bytes must fill a block, because LevelDB treats an error in a shorter
        // block as a torn record.
        filler_ = standIn_ = hasHeader ? room : room + scrollback_log_block_size;
    } else if (isTorn_) {
        standIn_ = hasHeader ? 1 : room + 1;
        bytes_.assign(standIn_, 0);
    }
}

}  // namespace scrollback

#include "SealedTable.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "Files.h"

namespace scrollback {

using leveldb::Slice;
using leveldb::Status;

namespace {

/// On-disk format, do not change: Docs/Format.md, "Encrypted files".
std::string Nonce(uint64_t page, bool isLast) {
    std::string nonce;
    PutInteger(&nonce, page, kNonceSize - 1);
    nonce.push_back(isLast ? 1 : 0);
    return nonce;
}

class WrittenTable final : public leveldb::WritableFile {
  public:
    WrittenTable(
        std::unique_ptr<leveldb::WritableFile> file, std::unique_ptr<FileKey> key,
        const std::string &header)
        : file_(std::move(file)), key_(std::move(key)), sealed_(header) {
        plain_.reserve(SealedTable::kPage);
    }

    Status Append(const Slice &bytes) override {
        if (isOver_ && failure_.ok()) failure_ = Status::IOError("write after the end of a table");
        const char *next = bytes.data();
        for (size_t left = bytes.size(); left > 0 && failure_.ok();) {
            // Following bytes show that a full page is not the last one.
            if (plain_.size() == SealedTable::kPage) SealPage(false);
            size_t part = std::min(left, SealedTable::kPage - plain_.size());
            plain_.append(next, part);
            next += part;
            left -= part;
        }
        return failure_;
    }

    /// Does nothing, because no table is read before it is complete.
    Status Flush() override { return failure_; }

    Status Sync() override {
        End();
        return failure_.ok() ? file_->Sync() : failure_;
    }

    Status Close() override {
        End();
        Status status = file_->Close();
        return failure_.ok() ? status : failure_;
    }

  private:
    void End() {
        if (!isOver_ && failure_.ok()) SealPage(true);
        isOver_ = true;
    }

    /// A file is abandoned after a failed write, so that no nonce is used twice with different
    /// bytes.
    void SealPage(bool isLast) {
        size_t at = sealed_.size();
        sealed_.resize(at + plain_.size() + kTagSize);
        if (!key_->Seal(
                Nonce(page_, isLast).data(), "", plain_.data(), plain_.size(), &sealed_[at])) {
            failure_ = Status::IOError("a page cannot be sealed");
            return;
        }
        page_++;
        plain_.clear();
        failure_ = file_->Append(sealed_);
        sealed_.clear();
    }

    const std::unique_ptr<leveldb::WritableFile> file_;
    const std::unique_ptr<FileKey> key_;
    std::string plain_, sealed_;
    uint64_t page_ = 0;
    bool isOver_ = false;
    Status failure_;
};

/// The page that a thread has read last: consecutive blocks of a table may share a page.
struct LastPage {
    uint64_t file = 0, page = 0;
    char bytes[SealedTable::kPage];
};

thread_local LastPage lastPage;
std::atomic<uint64_t> nextFile{1};

class ReadTable final : public leveldb::RandomAccessFile {
  public:
    ReadTable(
        std::unique_ptr<leveldb::RandomAccessFile> file, std::unique_ptr<FileKey> key,
        uint64_t size)
        : file_(std::move(file)), key_(std::move(key)), size_(size),
          plainSize_(SealedTable::PlainSize(size)) {}

    Status Read(uint64_t offset, size_t count, Slice *result, char *scratch) const override {
        *result = Slice();
        if (offset > plainSize_ || count > plainSize_ - offset) {
            return Status::Corruption("unexpected end of a table");
        }
        if (count == 0) return Status::OK();
        uint64_t first = offset / SealedTable::kPage;
        uint64_t last = (offset + count - 1) / SealedTable::kPage;
        uint64_t start = SealedHeader::kSize + first * SealedTable::kSealedPage;
        uint64_t end = std::min(
            size_, SealedHeader::kSize + (last + 1) * SealedTable::kSealedPage);
        std::unique_ptr<char[]> buffer(new char[end - start]);
        Slice sealed;
        Status status = file_->Read(start, end - start, &sealed, buffer.get());
        if (!status.ok()) return status;
        if (sealed.size() != end - start) return Status::Corruption("unexpected end of a table");

        const char *next = sealed.data();
        for (uint64_t page = first; page <= last; page++) {
            size_t size = std::min(
                SealedTable::kSealedPage, static_cast<size_t>(sealed.data() + (end - start) - next));
            if (size < kTagSize) return Status::Corruption("unexpected end of a table");
            size -= kTagSize;
            bool isLast = SealedHeader::kSize + (page + 1) * SealedTable::kSealedPage >= size_;
            uint64_t begin = page * SealedTable::kPage;
            size_t from = page == first ? offset - begin : 0;
            size_t to = std::min<uint64_t>(size, offset + count - begin);
            char *target = scratch + (begin + from - offset);
            bool isWhole = from == 0 && to == size;
            LastPage &kept = lastPage;
            if (isWhole || kept.file != number_ || kept.page != page) {
                if (!isWhole) kept.file = 0;
                if (!key_->Open(
                        Nonce(page, isLast).data(), "", next, size,
                        isWhole ? target : kept.bytes)) {
                    return Status::Corruption("a page of a table is not the one that was written");
                }
                if (!isWhole) {
                    kept.file = number_;
                    kept.page = page;
                }
            }
            if (!isWhole) std::memcpy(target, kept.bytes + from, to - from);
            next += size + kTagSize;
        }
        *result = Slice(scratch, count);
        return Status::OK();
    }

  private:
    const std::unique_ptr<leveldb::RandomAccessFile> file_;
    const std::unique_ptr<FileKey> key_;
    const uint64_t size_, plainSize_;
    /// The number of this file among all that the process has opened.
    const uint64_t number_ = nextFile.fetch_add(1, std::memory_order_relaxed);
};

class StreamedTable final : public leveldb::SequentialFile {
  public:
    StreamedTable(
        std::unique_ptr<leveldb::SequentialFile> file, std::unique_ptr<FileKey> key,
        uint64_t size)
        : file_(std::move(file)), key_(std::move(key)),
          left_(size < SealedHeader::kSize ? 0 : size - SealedHeader::kSize) {}

    Status Read(size_t count, Slice *result, char *scratch) override {
        size_t have = 0;
        Status status;
        while (have < count) {
            if (taken_ == size_) {
                if (isOver_) break;
                status = NextPage();
                if (!status.ok()) break;
            }
            size_t part = std::min(count - have, size_ - taken_);
            std::memcpy(scratch + have, page_ + taken_, part);
            taken_ += part;
            have += part;
        }
        *result = status.ok() ? Slice(scratch, have) : Slice();
        return status;
    }

    Status Skip(uint64_t count) override { return SkipByReading(this, count); }

  private:
    Status NextPage() {
        char sealed[SealedTable::kSealedPage];
        size_t size = std::min<uint64_t>(sizeof(sealed), left_);
        size_t have = 0;
        Status status = ReadFully(file_.get(), size, sealed, &have);
        if (!status.ok()) return status;
        if (have < size || size < kTagSize) {
            return Status::Corruption("unexpected end of a sealed file");
        }
        left_ -= size;
        isOver_ = left_ == 0;
        size_ = size - kTagSize;
        taken_ = 0;
        if (key_->Open(Nonce(number_++, isOver_).data(), "", sealed, size_, page_)) {
            return Status::OK();
        }
        isOver_ = true;
        size_ = 0;
        return Status::Corruption("a page of a sealed file is not the one that was written");
    }

    const std::unique_ptr<leveldb::SequentialFile> file_;
    const std::unique_ptr<FileKey> key_;
    uint64_t left_;
    uint64_t number_ = 0;
    /// The current page, its size, and the number of bytes that were already returned.
    char page_[SealedTable::kPage];
    size_t size_ = 0, taken_ = 0;
    bool isOver_ = false;
};

}  // namespace

uint64_t SealedTable::PlainSize(uint64_t size) {
    if (size < SealedHeader::kSize) return 0;
    uint64_t pages = (size - SealedHeader::kSize) / kSealedPage;
    uint64_t rest = (size - SealedHeader::kSize) % kSealedPage;
    return pages * kPage + (rest > kTagSize ? rest - kTagSize : 0);
}

leveldb::WritableFile *SealedTable::Written(
    std::unique_ptr<leveldb::WritableFile> file, std::unique_ptr<FileKey> key,
    const std::string &header) {
    return new WrittenTable(std::move(file), std::move(key), header);
}

leveldb::RandomAccessFile *SealedTable::Read(
    std::unique_ptr<leveldb::RandomAccessFile> file, std::unique_ptr<FileKey> key,
    uint64_t size) {
    return new ReadTable(std::move(file), std::move(key), size);
}

leveldb::SequentialFile *SealedTable::Streamed(
    std::unique_ptr<leveldb::SequentialFile> file, std::unique_ptr<FileKey> key,
    uint64_t size) {
    return new StreamedTable(std::move(file), std::move(key), size);
}

}  // namespace scrollback

void scrollback_page_nonce(uint64_t page, bool is_last, uint8_t *nonce) {
    const std::string bytes = scrollback::Nonce(page, is_last);
    std::memcpy(nonce, bytes.data(), bytes.size());
}

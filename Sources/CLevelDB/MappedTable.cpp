#include "Files.h"

#include <algorithm>
#include <atomic>

#include <sys/mman.h>
#include <unistd.h>

namespace scrollback {

using leveldb::Slice;
using leveldb::Status;

namespace {

class MappedTable final : public leveldb::RandomAccessFile {
  public:
    MappedTable(std::unique_ptr<leveldb::RandomAccessFile> file, const char *map, uint64_t size)
        : file_(std::move(file)), map_(map), size_(size), shift_(kLeastShift) {
        while ((size - 1) >> shift_ >= 64) shift_++;
        (void)madvise(const_cast<char *>(map), size, MADV_RANDOM);
        // Prefetch the footer, the index and the filter.
        uint64_t tail = std::min(size, kTail);
        Fetch(size - tail, size);
        for (uint64_t part = ((size - tail) >> shift_) + 1; part <= (size - 1) >> shift_; part++) {
            fetched_ |= uint64_t(1) << part;
        }
    }

    Status Read(uint64_t offset, size_t count, Slice *result, char *scratch) const override {
        Status status = file_->Read(offset, count, result, scratch);
        // The caller has not accessed the bytes yet.
        if (status.ok() && !result->empty()) Advise(offset, offset + result->size() - 1);
        return status;
    }

  private:
    /// A part has at least 64 KiB, and in a larger file a 64th of it, so that one word has a bit
    /// for each part.
    static constexpr int kLeastShift = 16;
    static constexpr uint64_t kTail = 64 << 10;

    /// Prefetches the parts of a range of bytes, which includes `last`.
    void Advise(uint64_t first, uint64_t last) const {
        for (uint64_t part = first >> shift_; part <= last >> shift_; part++) {
            uint64_t bit = uint64_t(1) << part;
            // If the reads are sequential, the system may have evicted the next part.
            bool goesOn = latest_.load(std::memory_order_relaxed) + 1 == part;
            bool isNew = (fetched_.load(std::memory_order_relaxed) & bit) == 0;
            latest_.store(part, std::memory_order_relaxed);
            if (!goesOn && !isNew) continue;
            fetched_.fetch_or(bit, std::memory_order_relaxed);
            Fetch(part << shift_, (part + (goesOn ? 2 : 1)) << shift_);
        }
    }

    /// Makes the system start to read a range, without waiting for it.
    void Fetch(uint64_t begin, uint64_t end) const {
        static const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
        begin -= begin % page;
        end = std::min(end, size_);
        if (begin < end) (void)madvise(const_cast<char *>(map_) + begin, end - begin, MADV_WILLNEED);
    }

    const std::unique_ptr<leveldb::RandomAccessFile> file_;
    const char *const map_;
    const uint64_t size_;
    int shift_;
    mutable std::atomic<uint64_t> fetched_{0};
    mutable std::atomic<uint64_t> latest_{UINT64_MAX - 1};
};

}  // namespace

leveldb::RandomAccessFile *NewMappedTable(
    std::unique_ptr<leveldb::RandomAccessFile> file, uint64_t size) {
#ifdef __linux__
    char scratch;
    Slice first;
    // Only a mapped file returns a pointer into the mapping, instead of copying the bytes.
    if (size > 0 && file->Read(0, 1, &first, &scratch).ok() && first.size() == 1
        && first.data() != &scratch) {
        const char *map = first.data();
        return new MappedTable(std::move(file), map, size);
    }
#else
    // The read-ahead of other systems was not measured.
    (void)size;
#endif
    return file.release();
}

}  // namespace scrollback

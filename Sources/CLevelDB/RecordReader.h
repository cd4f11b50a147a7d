#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace scrollback {

/// Reads the bytes of a log or a manifest, and reports the records that LevelDB finds in them.
///
/// Both kinds of files consist of blocks of 32 KiB, and a block consists of fragments. A fragment
/// has a header of seven bytes (the masked CRC-32C of type and payload, the length of the payload,
/// and the type) and a payload. A record is either one fragment, or a first fragment, any number of
/// middle fragments and a last fragment in adjacent blocks. If fewer than seven bytes are left at
/// the end of a block, they are empty.
///
/// The reader handles damage exactly as LevelDB does, so that it reports the records that LevelDB
/// uses: after a wrong checksum or length, the rest of the block is dropped.
class RecordReader {
  public:
    /// A function that is called for each complete record, with its size and its first bytes.
    ///
    /// The reader keeps at most a given number of bytes of a record.
    using OnRecord = std::function<void(const std::string &head, uint64_t size)>;
    /// A function that is called for each damaged place.
    using OnDamage = std::function<void()>;

    RecordReader(size_t kept, OnRecord onRecord, OnDamage onDamage);

    /// Processes the next bytes, of which there may be any number.
    void Read(const char *bytes, size_t count);

    /// Processes the end of the file.
    void End();

    /// The number of processed bytes.
    uint64_t length() const { return length_; }

    /// True if the file ends within a record or in zeros; valid after `End`.
    bool isTorn() const { return isTorn_; }

    /// True if any place is damaged.
    bool isDamaged() const { return isDamaged_; }

  private:
    void Block(const char *bytes, size_t count);
    void Fragment(int type, const char *payload, size_t count);
    void Zeros(const char *bytes, size_t count);
    void Damage();

    const size_t kept_;
    const OnRecord onRecord_;
    const OnDamage onDamage_;

    std::string block_;
    uint64_t length_ = 0;

    bool isInRecord_ = false;
    std::string head_;
    uint64_t size_ = 0;

    /// True if the beginning of a record was dropped.
    ///
    /// The other fragments of that record then do not count as further damage.
    bool isResyncing_ = false;
    bool isInZeros_ = false;
    bool isTorn_ = false;
    bool isDamaged_ = false;
};

}  // namespace scrollback

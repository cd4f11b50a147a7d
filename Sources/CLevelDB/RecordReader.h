#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace scrollback {

/// Reads the bytes of a log or a manifest, and reports the records that LevelDB finds in them.
///
/// A record is either one fragment, or a first fragment, any number of middle fragments and a last
/// fragment in adjacent blocks. The reader handles damage exactly as LevelDB does: after a wrong
/// checksum or length, the rest of the block is dropped.
class RecordReader {
  public:
    /// Called for each complete record, with its size and at most its first `kept` bytes.
    using OnRecord = std::function<void(const std::string &head, uint64_t size)>;
    /// Called for each damaged place.
    using OnDamage = std::function<void()>;

    RecordReader(size_t kept, OnRecord onRecord, OnDamage onDamage);

    void Read(const char *bytes, size_t count);

    void End();

    uint64_t length() const { return length_; }

    /// True if the file ends within a record or in zeros; valid after `End`.
    bool isTorn() const { return isTorn_; }

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

    /// The rest of a record whose beginning was dropped is no further damage.
    bool isResyncing_ = false;
    bool isInZeros_ = false;
    bool isTorn_ = false;
    bool isDamaged_ = false;
};

}  // namespace scrollback

#ifndef SCROLLBACK_RECORDREADER_H
#define SCROLLBACK_RECORDREADER_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace scrollback {

/// Watches the bytes of a log or a manifest pass, and tells which records LevelDB sees in them.
///
/// Both are a row of blocks of 32 KiB; a block is a row of fragments, each with a header of seven
/// bytes: masked CRC-32C of type and payload, length of the payload, type. A record is one
/// fragment, or a first, any number of middle, and a last one, in neighbouring blocks. Fewer than
/// seven bytes at the end of a block are left empty.
///
/// What LevelDB does with damage is followed exactly, so that the records told of are those it
/// uses: it drops the rest of a block behind a wrong checksum or length.
class RecordReader {
  public:
    /// Told of each whole record: its first bytes, as many as are kept, and its size.
    using OnRecord = std::function<void(const std::string &head, uint64_t size)>;
    /// Told of each damaged place.
    using OnDamage = std::function<void()>;

    RecordReader(size_t kept, OnRecord onRecord, OnDamage onDamage);

    /// Takes the next bytes, any number of them.
    void Read(const char *bytes, size_t count);

    /// The bytes are over.
    void End();

    /// The bytes so far.
    uint64_t length() const { return length_; }

    /// Whether the bytes end within a record or in zeros: after `End`.
    bool isTorn() const { return isTorn_; }

    /// Whether some place is damaged.
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

    /// The beginning of a record was dropped, so its other fragments are no damage of their own.
    bool isResyncing_ = false;
    bool isInZeros_ = false;
    bool isTorn_ = false;
    bool isDamaged_ = false;
};

}  // namespace scrollback

#endif

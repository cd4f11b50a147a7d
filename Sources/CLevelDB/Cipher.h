#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "CLevelDBEnvironment.h"

namespace scrollback {

constexpr size_t kTagSize = scrollback_tag_size;
constexpr size_t kNonceSize = scrollback_nonce_size;

/// The header of a sealed file.
///
/// On-disk format, do not change: Docs/Format.md, "Encrypted files", describes it.
struct SealedHeader {
    static constexpr size_t kSize = 64;

    uint32_t generation = 0;
    std::string salt;
    std::string check;

    std::string bytes() const;
    bool Read(const char *bytes, size_t count);
    /// Returns whether a file with these bytes is sealed, even if it is damaged.
    static bool IsMarked(const char *bytes, size_t count);
};

class FileKey {
  public:
    /// Returns nullptr if new files are plain.
    static std::unique_ptr<FileKey> Make(
        const scrollback_cipher &cipher, const std::string &identity, std::string *header);

    /// Returns nullptr if the header belongs to another file, or if the key is not available.
    static std::unique_ptr<FileKey> Find(
        const scrollback_cipher &cipher, const std::string &identity, const SealedHeader &header);

    ~FileKey() { cipher_.drop_key(key_); }
    FileKey(const FileKey &) = delete;
    FileKey &operator=(const FileKey &) = delete;

    bool Seal(
        const char *nonce, const std::string &bound, const char *plain, size_t count,
        char *sealed) const;
    bool Open(
        const char *nonce, const std::string &bound, const char *sealed, size_t count,
        char *plain) const;
    void Randomize(char *bytes, size_t count) const;

  private:
    FileKey(const scrollback_cipher &cipher, void *key) : cipher_(cipher), key_(key) {}

    const scrollback_cipher cipher_;
    void *const key_;
};

/// Writes the highest byte first; `count` may exceed eight.
void PutInteger(std::string *bytes, uint64_t value, size_t count);
/// Reads the highest byte first; `count` is at most eight.
uint64_t GetInteger(const char *bytes, size_t count);

}  // namespace scrollback

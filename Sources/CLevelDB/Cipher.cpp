#include "Cipher.h"

#include <cstring>

namespace scrollback {
namespace {

// On-disk format, do not change.
constexpr char kMark[] = {'S', 'B', 'S', 'E', 'A', 'L', 0, 1};
constexpr size_t kGenerationAt = sizeof(kMark), kSaltAt = kGenerationAt + 4,
                 kCheckAt = kSaltAt + scrollback_salt_size;
static_assert(kCheckAt + scrollback_check_size == SealedHeader::kSize);

const uint8_t *Bytes(const char *bytes) { return reinterpret_cast<const uint8_t *>(bytes); }
uint8_t *Bytes(char *bytes) { return reinterpret_cast<uint8_t *>(bytes); }

}  // namespace

void PutInteger(std::string *bytes, uint64_t value, size_t count) {
    while (count-- > 0) {
        // A shift by the width of the type or more is undefined.
        bytes->push_back(count < sizeof(value) ? static_cast<char>(value >> (8 * count)) : 0);
    }
}

uint64_t GetInteger(const char *bytes, size_t count) {
    uint64_t value = 0;
    for (size_t at = 0; at < count; at++) value = value << 8 | static_cast<uint8_t>(bytes[at]);
    return value;
}

std::string SealedHeader::bytes() const {
    std::string bytes(kMark, sizeof(kMark));
    PutInteger(&bytes, generation, 4);
    return bytes + salt + check;
}

bool SealedHeader::IsMarked(const char *bytes, size_t count) {
    return count >= sizeof(kMark) && std::memcmp(bytes, kMark, sizeof(kMark)) == 0;
}

bool SealedHeader::Read(const char *bytes, size_t count) {
    if (count < kSize || !IsMarked(bytes, count)) return false;
    generation = static_cast<uint32_t>(GetInteger(bytes + kGenerationAt, 4));
    salt.assign(bytes + kSaltAt, scrollback_salt_size);
    check.assign(bytes + kCheckAt, scrollback_check_size);
    return true;
}

std::unique_ptr<FileKey> FileKey::Make(
    const scrollback_cipher &cipher, const std::string &identity, std::string *header) {
    if (cipher.generation == 0) return nullptr;
    SealedHeader made;
    made.generation = cipher.generation;
    made.salt.resize(scrollback_salt_size);
    made.check.resize(scrollback_check_size);
    cipher.randomize(Bytes(&made.salt[0]), made.salt.size());
    void *key = cipher.make_key(
        cipher.context, made.generation, Bytes(made.salt.data()), identity.data(),
        identity.size(), Bytes(&made.check[0]));
    if (key == nullptr) return nullptr;
    *header = made.bytes();
    return std::unique_ptr<FileKey>(new FileKey(cipher, key));
}

std::unique_ptr<FileKey> FileKey::Find(
    const scrollback_cipher &cipher, const std::string &identity, const SealedHeader &header) {
    char check[scrollback_check_size];
    void *key = cipher.make_key(
        cipher.context, header.generation, Bytes(header.salt.data()), identity.data(),
        identity.size(), Bytes(check));
    if (key == nullptr) return nullptr;
    std::unique_ptr<FileKey> found(new FileKey(cipher, key));
    return std::memcmp(check, header.check.data(), sizeof(check)) == 0 ? std::move(found) : nullptr;
}

bool FileKey::Seal(
    const char *nonce, const std::string &bound, const char *plain, size_t count,
    char *sealed) const {
    return cipher_.seal(
        key_, Bytes(nonce), Bytes(bound.data()), bound.size(), Bytes(plain), count,
        Bytes(sealed));
}

bool FileKey::Open(
    const char *nonce, const std::string &bound, const char *sealed, size_t count,
    char *plain) const {
    return cipher_.open(
        key_, Bytes(nonce), Bytes(bound.data()), bound.size(), Bytes(sealed), count,
        Bytes(plain));
}

void FileKey::Randomize(char *bytes, size_t count) const {
    cipher_.randomize(Bytes(bytes), count);
}

}  // namespace scrollback

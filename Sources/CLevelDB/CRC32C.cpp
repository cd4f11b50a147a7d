#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#define SCROLLBACK_CRC_TARGET "sse4.2"
#define SCROLLBACK_CRC_WORD(crc, word) static_cast<uint32_t>(_mm_crc32_u64(crc, word))
#define SCROLLBACK_CRC_BYTE _mm_crc32_u8
#elif defined(__aarch64__)
#include <arm_acle.h>
#define SCROLLBACK_CRC_TARGET "crc"
#define SCROLLBACK_CRC_WORD __crc32cd
#define SCROLLBACK_CRC_BYTE __crc32cb
#endif
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#include "CLevelDBEnvironment.h"

namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "Eight bytes are read at once.");

/// Row k contains, for each value of a byte, the effect of the byte on the checksum if k more bytes
/// follow.
struct Tables {
    uint32_t row[8][256];

    constexpr Tables() : row() {
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t crc = byte;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc >> 1) ^ ((crc & 1) ? 0x82f63b78u : 0);
            }
            row[0][byte] = crc;
        }
        for (int k = 1; k < 8; k++) {
            for (uint32_t byte = 0; byte < 256; byte++) {
                uint32_t crc = row[k - 1][byte];
                row[k][byte] = (crc >> 8) ^ row[0][crc & 0xff];
            }
        }
    }
};

constexpr Tables tables;

uint32_t ExtendByTable(uint32_t crc, const uint8_t *bytes, size_t count) {
    const auto &row = tables.row;
    for (; count >= 8; bytes += 8, count -= 8) {
        uint64_t word;
        std::memcpy(&word, bytes, 8);
        word ^= crc;
        crc = row[7][word & 0xff] ^ row[6][(word >> 8) & 0xff] ^ row[5][(word >> 16) & 0xff]
            ^ row[4][(word >> 24) & 0xff] ^ row[3][(word >> 32) & 0xff]
            ^ row[2][(word >> 40) & 0xff] ^ row[1][(word >> 48) & 0xff] ^ row[0][word >> 56];
    }
    for (; count > 0; bytes++, count--) {
        crc = (crc >> 8) ^ row[0][(crc ^ *bytes) & 0xff];
    }
    return crc;
}

// MARK: With the processor's instruction

#if defined(SCROLLBACK_CRC_TARGET)
bool HasInstruction() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("sse4.2") != 0;
#elif defined(__linux__)
    return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
#else
    return true;  // Each device with iOS 17 or macOS 14 has it.
#endif
}

__attribute__((target(SCROLLBACK_CRC_TARGET)))
uint32_t ExtendByInstruction(uint32_t crc, const uint8_t *bytes, size_t count) {
    for (; count >= 8; bytes += 8, count -= 8) {
        uint64_t word;
        std::memcpy(&word, bytes, 8);
        crc = SCROLLBACK_CRC_WORD(crc, word);
    }
    for (; count > 0; bytes++, count--) crc = SCROLLBACK_CRC_BYTE(crc, *bytes);
    return crc;
}
#else
bool HasInstruction() { return false; }
constexpr auto ExtendByInstruction = ExtendByTable;
#endif

/// Returns the form in which LevelDB stores the checksum.
uint32_t Masked(uint32_t crc) {
    return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

}  // namespace

uint32_t scrollback_checksum(const void *bytes, size_t count) {
    static const bool hasInstruction = HasInstruction();
    if (!hasInstruction) return scrollback_checksum_by_table(bytes, count);
    return Masked(~ExtendByInstruction(~0u, static_cast<const uint8_t *>(bytes), count));
}

uint32_t scrollback_checksum_by_table(const void *bytes, size_t count) {
    return Masked(~ExtendByTable(~0u, static_cast<const uint8_t *>(bytes), count));
}

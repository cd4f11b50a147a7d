#include <cstring>

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

}  // namespace

uint32_t scrollback_log_checksum(const void *start, size_t count) {
    const auto *bytes = static_cast<const uint8_t *>(start);
    const auto &row = tables.row;
    uint32_t crc = ~0u;
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
    crc = ~crc;
    return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

#ifndef SCROLLBACK_CRC32C_H
#define SCROLLBACK_CRC32C_H

#include <cstddef>
#include <cstdint>

namespace scrollback {

/// Continues the CRC-32C of some bytes, 0 for none, with the bytes behind them.
uint32_t ExtendCRC32C(uint32_t crc, const char *bytes, size_t count);

/// How LevelDB stores a checksum, so that the checksum of bytes which hold checksums stays strong.
/// DO NOT CHANGE: LevelDB's log format.
inline uint32_t MaskedCRC32C(uint32_t crc) {
    return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

}  // namespace scrollback

#endif

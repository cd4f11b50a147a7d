#ifndef SCROLLBACK_CRC32C_H
#define SCROLLBACK_CRC32C_H

#include <cstddef>
#include <cstdint>

namespace scrollback {

/// Returns the CRC-32C of some bytes, given the CRC-32C of the bytes before them (0 if there are
/// none).
uint32_t ExtendCRC32C(uint32_t crc, const char *bytes, size_t count);

/// Returns the masked CRC-32C of some bytes, as LevelDB stores it.
///
/// LevelDB's log format, DO NOT CHANGE.
inline uint32_t MaskedCRC32C(const char *bytes, size_t count) {
    uint32_t crc = ExtendCRC32C(0, bytes, count);
    return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

}  // namespace scrollback

#endif

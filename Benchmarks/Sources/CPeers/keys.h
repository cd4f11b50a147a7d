// The keys of the rows of messages, as Docs/Format.md describes them.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// The bytes of a key, and their number.
typedef struct {
    unsigned char bytes[512];
    size_t size;
} key;

static inline void add(key *key, const void *bytes, size_t size) {
    memcpy(key->bytes + key->size, bytes, size);
    key->size += size;
}

/// Appends an integer in big-endian byte order.
static inline void add_integer(key *key, uint64_t value, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
        key->bytes[key->size++] = (unsigned char)(value >> shift);
    }
}

static inline void add_table(key *key, char table, uint32_t channel) {
    key->size = 0;
    key->bytes[key->size++] = (unsigned char)table;
    add_integer(key, channel, 4);
}

/// Converts a time so that its bytes have the order of the times, even for negative times.
static inline uint64_t ordered(int64_t time) { return (uint64_t)time ^ UINT64_C(1) << 63; }

/// Builds the key of a message.
///
/// All bits of its position are inverted, so that the newest message is the first.
static inline void message_key(
    key *key, uint32_t channel, int64_t created_at, const char *id, size_t id_size) {
    add_table(key, 'm', channel);
    add_integer(key, ~ordered(created_at), 8);
    add_integer(key, ~(uint64_t)id_size, 2);
    for (size_t index = 0; index < id_size; index++) {
        key->bytes[key->size++] = (unsigned char)~id[index];
    }
}

static inline void name_key(
    key *key, char table, uint32_t channel, const char *name, size_t name_size) {
    add_table(key, table, channel);
    add(key, name, name_size);
}

static inline uint64_t integer(const char *bytes, int size) {
    uint64_t value = 0;
    for (int index = 0; index < size; index++) value = value << 8 | (unsigned char)bytes[index];
    return value;
}

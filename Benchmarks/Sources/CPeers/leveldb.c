#include "CPeers.h"
#include "failing.h"
#include "keys.h"
#include "options.h"

#include <leveldb/c.h>
#include <string.h>

// The rows have exactly the bytes that Docs/Format.md describes. bench-store compares them with the
// store's rows before it measures.

struct peer_leveldb {
    leveldb_t *db;
    leveldb_options_t *options;
    leveldb_cache_t *cache;
    leveldb_filterpolicy_t *filter;
    leveldb_readoptions_t *reading;
    leveldb_writeoptions_t *quickly, *durably;
    uint64_t *counts;
    uint32_t channels;
    uint64_t sequence;
};

static void check(char *error) {
    if (error) fail("LevelDB", error);
}

// MARK: Opening

peer_leveldb *peer_leveldb_open(const char *path) {
    peer_leveldb *self = calloc(1, sizeof *self);
    self->options = leveldb_options_create();
    self->cache = leveldb_cache_create_lru(8 << 20);
    self->filter = leveldb_filterpolicy_create_bloom(10);
    leveldb_options_set_create_if_missing(self->options, 1);
    leveldb_options_set_write_buffer_size(self->options, 4 << 20);
    leveldb_options_set_max_file_size(self->options, 8 << 20);
    leveldb_options_set_max_open_files(self->options, 500);
    leveldb_options_set_cache(self->options, self->cache);
    leveldb_options_set_filter_policy(self->options, self->filter);
    leveldb_options_set_compression(self->options, leveldb_no_compression);
    peer_leveldb_reuse_logs(self->options);
    self->reading = leveldb_readoptions_create();
    self->quickly = leveldb_writeoptions_create();
    self->durably = leveldb_writeoptions_create();
    leveldb_writeoptions_set_sync(self->durably, 1);
    char *error = NULL;
    self->db = leveldb_open(self->options, path, &error);
    check(error);

    leveldb_iterator_t *rows = leveldb_create_iterator(self->db, self->reading);
    for (leveldb_iter_seek(rows, "k", 1); leveldb_iter_valid(rows); leveldb_iter_next(rows)) {
        size_t size;
        const char *row = leveldb_iter_key(rows, &size);
        if (row[0] != 'k') break;
        uint32_t channel = (uint32_t)integer(row + 1, 4);
        if (channel >= self->channels) {
            self->counts = realloc(self->counts, (channel + 1) * sizeof *self->counts);
            while (self->channels <= channel) self->counts[self->channels++] = 0;
        }
        self->counts[channel] = integer(leveldb_iter_value(rows, &size), 8);
    }
    leveldb_iter_destroy(rows);
    return self;
}

void peer_leveldb_close(peer_leveldb *self) {
    leveldb_close(self->db);
    leveldb_options_destroy(self->options);
    leveldb_cache_destroy(self->cache);
    leveldb_filterpolicy_destroy(self->filter);
    leveldb_readoptions_destroy(self->reading);
    leveldb_writeoptions_destroy(self->quickly);
    leveldb_writeoptions_destroy(self->durably);
    free(self->counts);
    free(self);
}

// MARK: Writing

static inline void put(
    leveldb_writebatch_t *batch, const key *key, const void *value, size_t size) {
    leveldb_writebatch_put(batch, (const char *)key->bytes, key->size, value, size);
}

static char *value_of(peer_leveldb *self, const key *key, size_t *size) {
    char *error = NULL;
    char *value = leveldb_get(
        self->db, self->reading, (const char *)key->bytes, key->size, size, &error);
    check(error);
    return value;
}

static void write(peer_leveldb *self, leveldb_writebatch_t *batch, bool is_durable) {
    char *error = NULL;
    leveldb_write(self->db, is_durable ? self->durably : self->quickly, batch, &error);
    check(error);
    leveldb_writebatch_destroy(batch);
}

static void count(
    peer_leveldb *self, leveldb_writebatch_t *batch, uint32_t channel, int difference) {
    if (channel >= self->channels) {
        self->counts = realloc(self->counts, (channel + 1) * sizeof *self->counts);
        while (self->channels <= channel) self->counts[self->channels++] = 0;
    }
    self->counts[channel] += (uint64_t)difference;
    key row, state = {.size = 0};
    add_table(&row, 'k', channel);
    // The row has the message count and the last access.
    add_integer(&state, self->counts[channel], 8);
    add_integer(&state, 0, 8);
    put(batch, &row, state.bytes, state.size);
}

void peer_leveldb_put(
    peer_leveldb *self, const peer_message *messages, size_t size, bool looks, bool is_durable) {
    leveldb_writebatch_t *batch = leveldb_writebatch_create();
    int added = 0;
    for (size_t index = 0; index < size; index++) {
        const peer_message *message = &messages[index];
        key row, place;
        name_key(&place, 'i', message->channel, message->id, message->id_size);
        bool is_new = true;
        if (looks) {
            size_t found_size;
            char *found = value_of(self, &place, &found_size);
            is_new = !found;
            if (found) {
                int64_t created_at = (int64_t)ordered((int64_t)integer(found, 8));
                leveldb_free(found);
                if (created_at != message->created_at) {
                    message_key(
                        &row, message->channel, created_at, message->id, message->id_size);
                    leveldb_writebatch_delete(batch, (const char *)row.bytes, row.size);
                    is_new = true;
                    added--;
                }
            }
        }
        message_key(
            &row, message->channel, message->created_at, message->id, message->id_size);
        put(batch, &row, message->bytes, message->size);
        if (is_new) {
            key time = {.size = 0};
            add_integer(&time, ordered(message->created_at), 8);
            put(batch, &place, time.bytes, time.size);
            if (message->request) {
                name_key(&row, 'r', message->channel, message->request, message->request_size);
                put(batch, &row, message->id, message->id_size);
            }
            added++;
        }
        if (added && (index + 1 == size || messages[index + 1].channel != message->channel)) {
            count(self, batch, message->channel, added);
            added = 0;
        }
    }
    write(self, batch, is_durable);
}

bool peer_leveldb_delete(peer_leveldb *self, uint32_t channel, const char *id, size_t id_size) {
    key place, row;
    size_t size;
    name_key(&place, 'i', channel, id, id_size);
    char *time = value_of(self, &place, &size);
    if (!time) return false;
    int64_t created_at = (int64_t)ordered((int64_t)integer(time, 8));
    leveldb_free(time);
    leveldb_writebatch_t *batch = leveldb_writebatch_create();
    message_key(&row, channel, created_at, id, id_size);
    leveldb_writebatch_delete(batch, (const char *)row.bytes, row.size);
    leveldb_writebatch_delete(batch, (const char *)place.bytes, place.size);
    count(self, batch, channel, -1);
    write(self, batch, false);
    return true;
}

void peer_leveldb_put_drafts(
    peer_leveldb *self, const peer_message *drafts, size_t size, const char *url,
    size_t url_size) {
    leveldb_writebatch_t *batch = leveldb_writebatch_create();
    for (size_t index = 0; index < size; index++) {
        const peer_message *draft = &drafts[index];
        key request = {.size = 0}, row = {.size = 0};
        add(&request, "r", 1);
        add(&request, draft->request, draft->request_size);
        size_t found_size;
        char *found = value_of(self, &request, &found_size);
        if (found) fail("LevelDB", "a draft is there already");
        add(&row, "q", 1);
        add_integer(&row, url_size, 2);
        add(&row, url, url_size);
        add_integer(&row, self->sequence++, 8);
        put(batch, &row, draft->bytes, draft->size);
        put(batch, &request, row.bytes + 1, row.size - 1);
    }
    key next = {.size = 0}, number = {.size = 0};
    add(&next, "sn", 2);
    add_integer(&number, self->sequence, 8);
    put(batch, &next, number.bytes, number.size);
    write(self, batch, true);
}

// MARK: Reading

size_t peer_leveldb_page(
    peer_leveldb *self, uint32_t channel, int64_t before, size_t limit, peer_reader read,
    void *context) {
    key start;
    add_table(&start, 'm', channel);
    // Times are inverted, so adding 1 leads to the next older time.
    if (before != PEER_NEWEST) add_integer(&start, ~ordered(before) + 1, 8);
    leveldb_iterator_t *rows = leveldb_create_iterator(self->db, self->reading);
    size_t read_count = 0;
    leveldb_iter_seek(rows, (const char *)start.bytes, start.size);
    while (leveldb_iter_valid(rows)) {
        size_t size;
        const char *row = leveldb_iter_key(rows, &size);
        if (size < 5 || memcmp(row, start.bytes, 5) != 0) break;
        const char *value = leveldb_iter_value(rows, &size);
        read(context, value, size);
        // Do not move to the row after the page: if it was deleted, LevelDB would skip all deleted
        // rows that follow it.
        if (++read_count == limit) break;
        leveldb_iter_next(rows);
    }
    char *error = NULL;
    leveldb_iter_get_error(rows, &error);
    check(error);
    leveldb_iter_destroy(rows);
    return read_count;
}

bool peer_leveldb_get(
    peer_leveldb *self, uint32_t channel, const char *id, size_t id_size, peer_reader read,
    void *context) {
    key place, row;
    size_t size;
    name_key(&place, 'i', channel, id, id_size);
    char *time = value_of(self, &place, &size);
    if (!time) return false;
    message_key(&row, channel, (int64_t)ordered((int64_t)integer(time, 8)), id, id_size);
    leveldb_free(time);
    char *value = value_of(self, &row, &size);
    if (!value) return false;
    read(context, value, size);
    leveldb_free(value);
    return true;
}

size_t peer_leveldb_count(peer_leveldb *self, uint32_t channel) {
    key row;
    add_table(&row, 'k', channel);
    size_t size;
    char *state = value_of(self, &row, &size);
    if (!state) return 0;
    size_t count = integer(state, 8);
    leveldb_free(state);
    return count;
}

size_t peer_leveldb_count_all(peer_leveldb *self) {
    size_t count = 0;
    for (uint32_t channel = 0; channel < self->channels; channel++) {
        count += self->counts[channel];
    }
    return count;
}

void peer_leveldb_rows(
    peer_leveldb *self,
    void (*read)(
        void *context, const void *key, size_t key_size, const void *value, size_t value_size),
    void *context) {
    leveldb_iterator_t *rows = leveldb_create_iterator(self->db, self->reading);
    leveldb_iter_seek_to_first(rows);
    for (; leveldb_iter_valid(rows); leveldb_iter_next(rows)) {
        size_t key_size, value_size;
        const char *row = leveldb_iter_key(rows, &key_size);
        const char *value = leveldb_iter_value(rows, &value_size);
        read(context, row, key_size, value, value_size);
    }
    leveldb_iter_destroy(rows);
}

// MARK: Channels

static void place_key(key *key, uint32_t number, int64_t last_message_at) {
    key->size = 0;
    add(key, "a", 1);
    add_integer(key, ~ordered(last_message_at), 8);
    add_integer(key, number, 4);
}

void peer_leveldb_put_channels(peer_leveldb *self, const peer_channel *channels, size_t count) {
    leveldb_writebatch_t *batch = leveldb_writebatch_create();
    for (size_t index = 0; index < count; index++) {
        const peer_channel *channel = &channels[index];
        key row;
        add_table(&row, 'c', channel->number);
        put(batch, &row, channel->bytes, channel->size);
        if (channel->old_last_message_at == 0) {
            key number = {.size = 0};
            add_integer(&number, channel->number, 4);
            key name = {.size = 0};
            add(&name, "n", 1);
            add(&name, channel->url, channel->url_size);
            put(batch, &name, number.bytes, number.size);
            add_table(&row, 'l', channel->number);
            put(batch, &row, channel->url, channel->url_size);
        } else {
            place_key(&row, channel->number, channel->old_last_message_at);
            leveldb_writebatch_delete(batch, (const char *)row.bytes, row.size);
        }
        place_key(&row, channel->number, channel->last_message_at);
        put(batch, &row, "", 0);
    }
    write(self, batch, false);
}

size_t peer_leveldb_channels(
    peer_leveldb *self, size_t limit, peer_reader read, void *context) {
    leveldb_iterator_t *rows = leveldb_create_iterator(self->db, self->reading);
    size_t read_count = 0;
    leveldb_iter_seek(rows, "a", 1);
    while (leveldb_iter_valid(rows)) {
        size_t size;
        const char *place = leveldb_iter_key(rows, &size);
        if (place[0] != 'a') break;
        key row;
        add_table(&row, 'c', (uint32_t)integer(place + 9, 4));
        char *value = value_of(self, &row, &size);
        if (!value) fail("LevelDB", "a channel is missing");
        read(context, value, size);
        leveldb_free(value);
        if (++read_count == limit) break;
        leveldb_iter_next(rows);
    }
    leveldb_iter_destroy(rows);
    return read_count;
}

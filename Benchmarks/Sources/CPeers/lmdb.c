#include "CPeers.h"
#include "failing.h"
#include "keys.h"

#include <lmdb.h>

struct peer_lmdb {
    MDB_env *env;
    MDB_dbi rows;
    /// The transaction and the cursor of all reads, which are reset after each read.
    MDB_txn *reading;
    MDB_cursor *cursor;
};

static void check(int error) {
    if (error) fail("LMDB", mdb_strerror(error));
}

static MDB_val bytes_of(const key *key) { return (MDB_val){key->size, (void *)key->bytes}; }

// MARK: Opening

static peer_lmdb *open_rows(const char *path, unsigned flags, unsigned row_flags) {
    peer_lmdb *self = calloc(1, sizeof *self);
    MDB_txn *writing;
    check(mdb_env_create(&self->env));
    check(mdb_env_set_mapsize(self->env, (size_t)8 << 30));
    check(mdb_env_open(self->env, path, MDB_NOSUBDIR | flags, 0600));
    check(mdb_txn_begin(self->env, NULL, 0, &writing));
    check(mdb_dbi_open(writing, NULL, row_flags, &self->rows));
    check(mdb_txn_commit(writing));
    check(mdb_txn_begin(self->env, NULL, MDB_RDONLY, &self->reading));
    check(mdb_cursor_open(self->reading, self->rows, &self->cursor));
    mdb_txn_reset(self->reading);
    return self;
}

peer_lmdb *peer_lmdb_open(const char *path, bool reads_ahead) {
    return open_rows(path, reads_ahead ? 0 : MDB_NORDAHEAD, 0);
}

void peer_lmdb_close(peer_lmdb *self) {
    mdb_cursor_close(self->cursor);
    mdb_txn_abort(self->reading);
    mdb_env_close(self->env);
    free(self);
}

// MARK: Writing

// The rows are those of LevelDB: messages, their times by id, their ids by request id, and the
// message counts.

static void put(
    peer_lmdb *self, MDB_txn *writing, const key *key, const void *value, size_t size) {
    MDB_val name = bytes_of(key), bytes = {size, (void *)value};
    check(mdb_put(writing, self->rows, &name, &bytes, 0));
}

void peer_lmdb_insert(peer_lmdb *self, const peer_message *messages, size_t count) {
    MDB_txn *writing;
    check(mdb_txn_begin(self->env, NULL, 0, &writing));
    for (size_t index = 0; index < count; index++) {
        const peer_message *message = &messages[index];
        key row, time = {.size = 0};
        message_key(&row, message->channel, message->created_at, message->id, message->id_size);
        put(self, writing, &row, message->bytes, message->size);
        add_integer(&time, ordered(message->created_at), 8);
        name_key(&row, 'i', message->channel, message->id, message->id_size);
        put(self, writing, &row, time.bytes, time.size);
        if (message->request) {
            name_key(&row, 'r', message->channel, message->request, message->request_size);
            put(self, writing, &row, message->id, message->id_size);
        }
        MDB_val found;
        key number = {.size = 0};
        add_table(&row, 'k', message->channel);
        MDB_val name = bytes_of(&row);
        int error = mdb_get(writing, self->rows, &name, &found);
        if (error != MDB_NOTFOUND) check(error);
        add_integer(&number, error ? 1 : integer(found.mv_data, 8) + 1, 8);
        put(self, writing, &row, number.bytes, number.size);
    }
    check(mdb_txn_commit(writing));
}

// MARK: Reading

/// Reads rows of a channel's history, from a key on, up to a time or a number of rows.
static size_t read_rows(
    peer_lmdb *self, const key *start, bool is_newer, size_t limit, peer_reader read,
    void *context) {
    size_t read_count = 0;
    MDB_val name = bytes_of(start), value;
    check(mdb_txn_renew(self->reading));
    check(mdb_cursor_renew(self->reading, self->cursor));
    int error = mdb_cursor_get(self->cursor, &name, &value, MDB_SET_RANGE);
    if (is_newer) {
        MDB_cursor_op step = error == MDB_NOTFOUND ? MDB_LAST : MDB_PREV;
        error = mdb_cursor_get(self->cursor, &name, &value, step);
    }
    while (!error && name.mv_size >= 5 && memcmp(name.mv_data, start->bytes, 5) == 0) {
        read(context, value.mv_data, value.mv_size);
        if (++read_count == limit) break;
        error = mdb_cursor_get(self->cursor, &name, &value, is_newer ? MDB_PREV : MDB_NEXT);
    }
    if (error != MDB_NOTFOUND) check(error);
    mdb_txn_reset(self->reading);
    return read_count;
}

/// The first key that is older than all messages of a time or later.
static key start_of(uint32_t channel, int64_t before) {
    key start;
    add_table(&start, 'm', channel);
    // Times are inverted, so adding 1 leads to the next older time.
    if (before != PEER_NEWEST) add_integer(&start, ~ordered(before) + 1, 8);
    return start;
}

size_t peer_lmdb_page(
    peer_lmdb *self, uint32_t channel, int64_t before, size_t limit, peer_reader read,
    void *context) {
    key start = start_of(channel, before);
    return read_rows(self, &start, false, limit, read, context);
}

size_t peer_lmdb_page_from(
    peer_lmdb *self, uint32_t channel, int64_t from, size_t limit, peer_reader read,
    void *context) {
    key start = start_of(channel, from);
    return read_rows(self, &start, true, limit, read, context);
}

bool peer_lmdb_get(
    peer_lmdb *self, uint32_t channel, const char *id, size_t id_size, peer_reader read,
    void *context) {
    key row;
    name_key(&row, 'i', channel, id, id_size);
    MDB_val name = bytes_of(&row), value;
    check(mdb_txn_renew(self->reading));
    int error = mdb_get(self->reading, self->rows, &name, &value);
    if (!error) {
        int64_t created_at = (int64_t)ordered((int64_t)integer(value.mv_data, 8));
        message_key(&row, channel, created_at, id, id_size);
        name = bytes_of(&row);
        check(mdb_get(self->reading, self->rows, &name, &value));
        read(context, value.mv_data, value.mv_size);
    } else if (error != MDB_NOTFOUND) {
        check(error);
    }
    mdb_txn_reset(self->reading);
    return !error;
}

size_t peer_lmdb_count(peer_lmdb *self, uint32_t channel) {
    key row;
    add_table(&row, 'k', channel);
    MDB_val name = bytes_of(&row), value;
    check(mdb_txn_renew(self->reading));
    int error = mdb_get(self->reading, self->rows, &name, &value);
    if (error != MDB_NOTFOUND) check(error);
    size_t count = error ? 0 : integer(value.mv_data, 8);
    mdb_txn_reset(self->reading);
    return count;
}

// MARK: Values under integer keys

peer_lmdb *peer_lmdb_table_open(const char *path) {
    return open_rows(path, MDB_NOSYNC, MDB_INTEGERKEY);
}

void peer_lmdb_table_set_durable(peer_lmdb *self, bool is_durable) {
    check(mdb_env_set_flags(self->env, MDB_NOSYNC, !is_durable));
}

void peer_lmdb_table_put(peer_lmdb *self, const peer_value *values, size_t count) {
    MDB_txn *writing;
    check(mdb_txn_begin(self->env, NULL, 0, &writing));
    for (size_t index = 0; index < count; index++) {
        MDB_val name = {sizeof values[index].key, (void *)&values[index].key};
        MDB_val bytes = {values[index].size, (void *)values[index].bytes};
        check(mdb_put(writing, self->rows, &name, &bytes, 0));
    }
    check(mdb_txn_commit(writing));
}

size_t peer_lmdb_table_get(
    peer_lmdb *self, int64_t key, peer_reader read, void *context) {
    MDB_val name = {sizeof key, &key}, value;
    check(mdb_txn_renew(self->reading));
    int error = mdb_get(self->reading, self->rows, &name, &value);
    if (!error) {
        read(context, value.mv_data, value.mv_size);
    } else if (error != MDB_NOTFOUND) {
        check(error);
    }
    mdb_txn_reset(self->reading);
    return error ? 0 : 1;
}

size_t peer_lmdb_table_range(
    peer_lmdb *self, int64_t key, size_t limit, peer_reader read, void *context) {
    MDB_val name = {sizeof key, &key}, value;
    size_t count = 0;
    check(mdb_txn_renew(self->reading));
    check(mdb_cursor_renew(self->reading, self->cursor));
    int error = mdb_cursor_get(self->cursor, &name, &value, MDB_SET_RANGE);
    while (!error) {
        read(context, value.mv_data, value.mv_size);
        if (++count == limit) break;
        error = mdb_cursor_get(self->cursor, &name, &value, MDB_NEXT);
    }
    if (error != MDB_NOTFOUND) check(error);
    mdb_txn_reset(self->reading);
    return count;
}

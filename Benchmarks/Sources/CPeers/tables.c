// A table of values under integer keys, and messages with an index of links.
#include "statements.h"

// MARK: Values

struct peer_sqlite_table {
    sqlite3 *db;
    sqlite3_stmt *put, *get, *range;
};

peer_sqlite_table *peer_sqlite_table_open(const char *path) {
    peer_sqlite_table *self = calloc(1, sizeof *self);
    unsigned flags = SQLITE_PREPARE_PERSISTENT;
    self->db = open_tuned(path, true);
    run(self->db,
        "CREATE TABLE IF NOT EXISTS value (key INTEGER PRIMARY KEY, payload BLOB)");
    // In a table without indexes, REPLACE overwrites the row, with fewer steps than an upsert.
    self->put = prepared(self->db, "INSERT OR REPLACE INTO value VALUES (?, ?)", flags);
    self->get = prepared(self->db, "SELECT payload FROM value WHERE key = ?", flags);
    self->range = prepared(
        self->db, "SELECT payload FROM value WHERE key >= ? ORDER BY key LIMIT ?", flags);
    return self;
}

void peer_sqlite_table_close(peer_sqlite_table *self) {
    sqlite3_finalize(self->put);
    sqlite3_finalize(self->get);
    sqlite3_finalize(self->range);
    sqlite3_close(self->db);
    free(self);
}

void peer_sqlite_table_set_durable(peer_sqlite_table *self, bool is_durable) {
    set_durable(self->db, is_durable);
}

void peer_sqlite_table_put(peer_sqlite_table *self, const peer_value *values, size_t count) {
    if (count > 1) run(self->db, "BEGIN");
    for (size_t index = 0; index < count; index++) {
        sqlite3_bind_int64(self->put, 1, values[index].key);
        bind_bytes(self->put, 2, values[index].bytes, values[index].size);
        finish(self->put);
    }
    if (count > 1) run(self->db, "COMMIT");
}

size_t peer_sqlite_table_get(
    peer_sqlite_table *self, int64_t key, peer_reader read, void *context) {
    sqlite3_bind_int64(self->get, 1, key);
    return read_all(self->get, read, context);
}

size_t peer_sqlite_table_range(
    peer_sqlite_table *self, int64_t key, size_t limit, peer_reader read, void *context) {
    sqlite3_bind_int64(self->range, 1, key);
    sqlite3_bind_int64(self->range, 2, (sqlite3_int64)limit);
    return read_all(self->range, read, context);
}

// MARK: Messages with an index of links

struct peer_sqlite_links {
    sqlite3 *db;
    sqlite3_stmt *put, *page;
};

peer_sqlite_links *peer_sqlite_links_open(const char *path) {
    peer_sqlite_links *self = calloc(1, sizeof *self);
    unsigned flags = SQLITE_PREPARE_PERSISTENT;
    self->db = open_tuned(path, true);
    // 32 is the bit of links in Scrollback's kinds.
    run(self->db,
        "CREATE TABLE IF NOT EXISTS message ("
        "  channel INTEGER, created_at INTEGER, id TEXT, kinds INTEGER, payload BLOB,"
        "  PRIMARY KEY (channel, created_at, id)) WITHOUT ROWID;"
        "CREATE INDEX IF NOT EXISTS link ON message (channel, created_at)"
        "  WHERE kinds & 32 <> 0");
    self->put = prepared(self->db, "INSERT INTO message VALUES (?, ?, ?, ?, ?)", flags);
    // Without INDEXED BY, SQLite prefers the primary key, and reads messages without a link, too.
    self->page = prepared(
        self->db,
        "SELECT payload FROM message INDEXED BY link WHERE channel = ? AND kinds & 32 <> 0 "
        "ORDER BY created_at DESC, id DESC LIMIT ?", flags);
    return self;
}

void peer_sqlite_links_close(peer_sqlite_links *self) {
    sqlite3_finalize(self->put);
    sqlite3_finalize(self->page);
    sqlite3_close(self->db);
    free(self);
}

void peer_sqlite_links_begin(peer_sqlite_links *self) { run(self->db, "BEGIN"); }

void peer_sqlite_links_put(
    peer_sqlite_links *self, int64_t channel, int64_t created_at, const char *id, size_t id_size,
    int64_t kinds, const void *bytes, size_t size) {
    sqlite3_bind_int64(self->put, 1, channel);
    sqlite3_bind_int64(self->put, 2, created_at);
    bind_text(self->put, 3, id, id_size);
    sqlite3_bind_int64(self->put, 4, kinds);
    bind_bytes(self->put, 5, bytes, size);
    finish(self->put);
}

void peer_sqlite_links_commit(peer_sqlite_links *self) { run(self->db, "COMMIT"); }

size_t peer_sqlite_links_page(
    peer_sqlite_links *self, int64_t channel, size_t limit, peer_reader read, void *context) {
    sqlite3_bind_int64(self->page, 1, channel);
    sqlite3_bind_int64(self->page, 2, (sqlite3_int64)limit);
    return read_all(self->page, read, context);
}

int64_t peer_sqlite_links_index_size(peer_sqlite_links *self) {
    sqlite3_stmt *size = prepared(
        self->db, "SELECT SUM(payload) FROM dbstat WHERE name = 'link'", 0);
    int64_t bytes = read_integer(size);
    sqlite3_finalize(size);
    return bytes;
}

// One table of values under integer keys, in SQLite and in LMDB.
#include "CPeers.h"
#include "failing.h"

#include <lmdb.h>
#include <sqlite3.h>

// MARK: SQLite

enum { PUT, GET, RANGE, STATEMENTS };

static const char *const texts[STATEMENTS] = {
    [PUT] = "INSERT OR REPLACE INTO value VALUES (?, ?)",
    [GET] = "SELECT payload FROM value WHERE key = ?",
    [RANGE] = "SELECT payload FROM value WHERE key >= ? ORDER BY key LIMIT ?",
};

struct peer_sqlite_table {
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENTS];
};

static void run(peer_sqlite_table *self, const char *text) {
    if (sqlite3_exec(self->db, text, NULL, NULL, NULL)) fail(text, sqlite3_errmsg(self->db));
}

peer_sqlite_table *peer_sqlite_table_open(const char *path) {
    peer_sqlite_table *self = calloc(1, sizeof *self);
    if (sqlite3_open(path, &self->db)) fail("SQLite", path);
    run(self,
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000;"
        "PRAGMA mmap_size = 2147418112;"
        "CREATE TABLE IF NOT EXISTS value (key INTEGER PRIMARY KEY, payload BLOB)");
    for (int index = 0; index < STATEMENTS; index++) {
        if (sqlite3_prepare_v3(
                self->db, texts[index], -1, SQLITE_PREPARE_PERSISTENT, &self->statements[index],
                NULL)) {
            fail(texts[index], sqlite3_errmsg(self->db));
        }
    }
    return self;
}

void peer_sqlite_table_close(peer_sqlite_table *self) {
    for (int index = 0; index < STATEMENTS; index++) sqlite3_finalize(self->statements[index]);
    sqlite3_close(self->db);
    free(self);
}

void peer_sqlite_table_set_durable(peer_sqlite_table *self, bool is_durable) {
    run(self, is_durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
}

void peer_sqlite_table_put(peer_sqlite_table *self, const peer_value *values, size_t count) {
    sqlite3_stmt *put = self->statements[PUT];
    if (count > 1) run(self, "BEGIN");
    for (size_t index = 0; index < count; index++) {
        sqlite3_bind_int64(put, 1, values[index].key);
        sqlite3_bind_blob(put, 2, values[index].bytes, (int)values[index].size, SQLITE_STATIC);
        if (sqlite3_step(put) != SQLITE_DONE) fail(texts[PUT], sqlite3_errmsg(self->db));
        sqlite3_reset(put);
    }
    if (count > 1) run(self, "COMMIT");
}

static size_t read_rows(
    peer_sqlite_table *self, sqlite3_stmt *statement, peer_reader read, void *context) {
    size_t count = 0;
    int status;
    for (; (status = sqlite3_step(statement)) == SQLITE_ROW; count++) {
        const void *bytes = sqlite3_column_blob(statement, 0);
        read(context, bytes, (size_t)sqlite3_column_bytes(statement, 0));
    }
    if (status != SQLITE_DONE) fail("SQLite", sqlite3_errmsg(self->db));
    sqlite3_reset(statement);
    return count;
}

size_t peer_sqlite_table_get(
    peer_sqlite_table *self, int64_t key, peer_reader read, void *context) {
    sqlite3_bind_int64(self->statements[GET], 1, key);
    return read_rows(self, self->statements[GET], read, context);
}

size_t peer_sqlite_table_range(
    peer_sqlite_table *self, int64_t key, size_t limit, peer_reader read, void *context) {
    sqlite3_stmt *range = self->statements[RANGE];
    sqlite3_bind_int64(range, 1, key);
    sqlite3_bind_int64(range, 2, (sqlite3_int64)limit);
    return read_rows(self, range, read, context);
}

// MARK: LMDB

struct peer_lmdb_table {
    MDB_env *env;
    MDB_dbi rows;
    /// The transaction and the cursor of all reads, which are reset after each read.
    MDB_txn *reading;
    MDB_cursor *cursor;
};

static void check(int error) {
    if (error) fail("LMDB", mdb_strerror(error));
}

peer_lmdb_table *peer_lmdb_table_open(const char *path) {
    peer_lmdb_table *self = calloc(1, sizeof *self);
    MDB_txn *writing;
    check(mdb_env_create(&self->env));
    check(mdb_env_set_mapsize(self->env, (size_t)8 << 30));
    check(mdb_env_open(self->env, path, MDB_NOSUBDIR, 0600));
    check(mdb_txn_begin(self->env, NULL, 0, &writing));
    check(mdb_dbi_open(writing, NULL, MDB_INTEGERKEY, &self->rows));
    check(mdb_txn_commit(writing));
    check(mdb_txn_begin(self->env, NULL, MDB_RDONLY, &self->reading));
    check(mdb_cursor_open(self->reading, self->rows, &self->cursor));
    mdb_txn_reset(self->reading);
    return self;
}

void peer_lmdb_table_close(peer_lmdb_table *self) {
    mdb_cursor_close(self->cursor);
    mdb_txn_abort(self->reading);
    mdb_env_close(self->env);
    free(self);
}

void peer_lmdb_table_put(peer_lmdb_table *self, const peer_value *values, size_t count) {
    MDB_txn *writing;
    check(mdb_txn_begin(self->env, NULL, 0, &writing));
    for (size_t index = 0; index < count; index++) {
        MDB_val name = {sizeof values[index].key, (void *)&values[index].key};
        MDB_val bytes = {values[index].size, (void *)values[index].bytes};
        check(mdb_put(writing, self->rows, &name, &bytes, 0));
    }
    check(mdb_txn_commit(writing));
}

size_t peer_lmdb_table_range(
    peer_lmdb_table *self, int64_t key, size_t limit, peer_reader read, void *context) {
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

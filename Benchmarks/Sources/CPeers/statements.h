// Functions for all databases of SQLite.
#pragma once

#include "CPeers.h"
#include "failing.h"

#include <sqlite3.h>

static inline void run(sqlite3 *db, const char *text) {
    if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK) fail(text, sqlite3_errmsg(db));
}

/// Opens a database with the settings that are fastest for one thread of one process.
///
/// The file is mapped up to SQLite's default limit of 2 GiB, or not at all.
static inline sqlite3 *open_tuned(const char *path, bool maps_file) {
    sqlite3 *db;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &db, flags, NULL) != SQLITE_OK) fail("SQLite", path);
    run(db, maps_file ? "PRAGMA mmap_size = 2147418112" : "PRAGMA mmap_size = 0");
    // The exclusive mode comes first: WAL then needs no shared memory. Debian's SQLite otherwise
    // overwrites deleted rows with zeros.
    run(db, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;"
            "PRAGMA synchronous = NORMAL; PRAGMA secure_delete = OFF;"
            "PRAGMA cache_size = -8000; PRAGMA temp_store = MEMORY;");
    return db;
}

static inline void set_durable(sqlite3 *db, bool is_durable) {
    run(db, is_durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
}

static inline sqlite3_stmt *prepared(sqlite3 *db, const char *text, unsigned flags) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v3(db, text, -1, flags, &statement, NULL) != SQLITE_OK) {
        fail(text, sqlite3_errmsg(db));
    }
    return statement;
}

/// Executes a statement up to its next row, and returns whether there is one.
static inline bool step(sqlite3_stmt *statement) {
    int result = sqlite3_step(statement);
    if (result != SQLITE_ROW && result != SQLITE_DONE) {
        fail("SQLite", sqlite3_errmsg(sqlite3_db_handle(statement)));
    }
    return result == SQLITE_ROW;
}

/// Executes a statement that writes.
static inline void finish(sqlite3_stmt *statement) {
    step(statement);
    sqlite3_reset(statement);
}

/// Reads the bytes of all rows.
static inline size_t read_all(sqlite3_stmt *statement, peer_reader read, void *context) {
    size_t count = 0;
    for (; step(statement); count++) {
        const void *bytes = sqlite3_column_blob(statement, 0);
        read(context, bytes, (size_t)sqlite3_column_bytes(statement, 0));
    }
    sqlite3_reset(statement);
    return count;
}

/// Reads the integer in the only row.
static inline int64_t read_integer(sqlite3_stmt *statement) {
    if (!step(statement)) fail("SQLite", "a row is missing");
    int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    return value;
}

static inline void bind_text(sqlite3_stmt *statement, int place, const char *text, size_t size) {
    if (text) {
        sqlite3_bind_text(statement, place, text, (int)size, SQLITE_STATIC);
    } else {
        sqlite3_bind_null(statement, place);
    }
}

static inline void bind_bytes(
    sqlite3_stmt *statement, int place, const void *bytes, size_t size) {
    sqlite3_bind_blob(statement, place, bytes, (int)size, SQLITE_STATIC);
}

#include "CPeers.h"
#include "failing.h"

#include <sqlite3.h>
#include <stdio.h>
#include <time.h>

struct peer_fts {
    sqlite3 *db;
    sqlite3_stmt *put;
    sqlite3_stmt *index;
    sqlite3_stmt *search;
    sqlite3_stmt *count;
};

static void check(peer_fts *fts, int code, const char *what) {
    if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW)
        fail(what, sqlite3_errmsg(fts->db));
}

static void run(peer_fts *fts, const char *text) {
    check(fts, sqlite3_exec(fts->db, text, NULL, NULL, NULL), text);
}

peer_fts *peer_fts_open(const char *path, peer_fts_detail detail) {
    peer_fts *fts = calloc(1, sizeof *fts);
    check(fts, sqlite3_open_v2(path, &fts->db,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                               NULL), "open");
    run(fts, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
             "PRAGMA cache_size = -8000; PRAGMA mmap_size = 2147483648;"
             "CREATE TABLE message (id INTEGER PRIMARY KEY, channel INTEGER, sender TEXT,"
             " text TEXT)");
    // Ids ascend with time, so FTS5 returns the newest results first without sorting.
    check(fts, sqlite3_prepare_v2(fts->db, "INSERT INTO message VALUES (?, ?, ?, ?)", -1,
                                  &fts->put, NULL), "prepare");
    if (detail == PEER_NO_INDEX) return fts;
    char table[200];
    snprintf(table, sizeof table,
             "CREATE VIRTUAL TABLE fts USING fts5(text, content='message', content_rowid='id',"
             " tokenize='unicode61', detail=%s%s)",
             detail == PEER_DETAIL_COLUMN ? "column" : "full",
             detail == PEER_WITH_PREFIXES ? ", prefix='3'" : "");
    run(fts, table);
    check(fts, sqlite3_prepare_v2(fts->db, "INSERT INTO fts(rowid, text) VALUES (?, ?)", -1,
                                  &fts->index, NULL), "prepare");
    check(fts, sqlite3_prepare_v2(
        fts->db, "SELECT message.text FROM fts JOIN message ON message.id = fts.rowid"
                 " WHERE fts MATCH ? ORDER BY fts.rowid DESC LIMIT ?", -1, &fts->search, NULL),
          "prepare");
    check(fts, sqlite3_prepare_v2(fts->db, "SELECT COUNT(*) FROM fts WHERE fts MATCH ?", -1,
                                  &fts->count, NULL), "prepare");
    return fts;
}

void peer_fts_close(peer_fts *fts) {
    sqlite3_finalize(fts->put);
    sqlite3_finalize(fts->index);
    sqlite3_finalize(fts->search);
    sqlite3_finalize(fts->count);
    sqlite3_close(fts->db);
    free(fts);
}

void peer_fts_put(peer_fts *fts, const peer_text *texts, size_t count) {
    run(fts, "BEGIN");
    for (size_t i = 0; i < count; i++) {
        sqlite3_bind_int64(fts->put, 1, texts[i].id);
        sqlite3_bind_int64(fts->put, 2, texts[i].channel);
        sqlite3_bind_text(fts->put, 3, texts[i].sender, (int)texts[i].sender_size, SQLITE_STATIC);
        sqlite3_bind_text(fts->put, 4, texts[i].text, (int)texts[i].text_size, SQLITE_STATIC);
        check(fts, sqlite3_step(fts->put), "insert");
        sqlite3_reset(fts->put);
        if (!fts->index) continue;
        sqlite3_bind_int64(fts->index, 1, texts[i].id);
        sqlite3_bind_text(fts->index, 2, texts[i].text, (int)texts[i].text_size, SQLITE_STATIC);
        check(fts, sqlite3_step(fts->index), "index");
        sqlite3_reset(fts->index);
    }
    run(fts, "COMMIT");
}

size_t peer_fts_search(peer_fts *fts, const char *query, size_t limit, peer_reader read,
                       void *context) {
    size_t count = 0;
    sqlite3_bind_text(fts->search, 1, query, -1, SQLITE_STATIC);
    sqlite3_bind_int64(fts->search, 2, (sqlite3_int64)limit);
    int code;
    while ((code = sqlite3_step(fts->search)) == SQLITE_ROW) {
        read(context, sqlite3_column_text(fts->search, 0),
             (size_t)sqlite3_column_bytes(fts->search, 0));
        count++;
    }
    check(fts, code, query);
    sqlite3_reset(fts->search);
    return count;
}

int64_t peer_fts_count(peer_fts *fts, const char *query) {
    sqlite3_bind_text(fts->count, 1, query, -1, SQLITE_STATIC);
    check(fts, sqlite3_step(fts->count), query);
    int64_t count = sqlite3_column_int64(fts->count, 0);
    sqlite3_reset(fts->count);
    return count;
}

int64_t peer_fts_index_size(peer_fts *fts) {
    sqlite3_stmt *statement;
    check(fts, sqlite3_prepare_v2(
        fts->db, "SELECT (SELECT SUM(LENGTH(block)) FROM fts_data)"
                 " + (SELECT SUM(LENGTH(sz)) FROM fts_docsize)", -1, &statement, NULL), "prepare");
    check(fts, sqlite3_step(statement), "size");
    int64_t size = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return size;
}

int64_t peer_thread_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

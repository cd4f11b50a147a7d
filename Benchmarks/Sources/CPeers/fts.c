#include "statements.h"

#include <time.h>

struct peer_fts {
    sqlite3 *db;
    sqlite3_stmt *put, *index, *search, *count;
};

peer_fts *peer_fts_open(const char *path, peer_fts_detail detail) {
    peer_fts *fts = calloc(1, sizeof *fts);
    fts->db = open_tuned(path, true);
    run(fts->db,
        "CREATE TABLE message (id INTEGER PRIMARY KEY, channel INTEGER, sender TEXT, text TEXT)");
    fts->put = prepared(fts->db, "INSERT INTO message VALUES (?, ?, ?, ?)", 0);
    if (detail == PEER_NO_INDEX) return fts;
    char table[200];
    snprintf(table, sizeof table,
             "CREATE VIRTUAL TABLE fts USING fts5(text, content='message', content_rowid='id',"
             " tokenize='unicode61', detail=%s%s)",
             detail == PEER_DETAIL_COLUMN ? "column" : "full",
             detail == PEER_WITH_PREFIXES ? ", prefix='3'" : "");
    run(fts->db, table);
    fts->index = prepared(fts->db, "INSERT INTO fts(rowid, text) VALUES (?, ?)", 0);
    // Ids ascend with time, so FTS5 returns the newest results first without sorting.
    fts->search = prepared(
        fts->db, "SELECT message.text FROM fts JOIN message ON message.id = fts.rowid"
                 " WHERE fts MATCH ? ORDER BY fts.rowid DESC LIMIT ?", 0);
    fts->count = prepared(fts->db, "SELECT COUNT(*) FROM fts WHERE fts MATCH ?", 0);
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
    run(fts->db, "BEGIN");
    for (size_t i = 0; i < count; i++) {
        sqlite3_bind_int64(fts->put, 1, texts[i].id);
        sqlite3_bind_int64(fts->put, 2, texts[i].channel);
        bind_text(fts->put, 3, texts[i].sender, texts[i].sender_size);
        bind_text(fts->put, 4, texts[i].text, texts[i].text_size);
        finish(fts->put);
        if (!fts->index) continue;
        sqlite3_bind_int64(fts->index, 1, texts[i].id);
        bind_text(fts->index, 2, texts[i].text, texts[i].text_size);
        finish(fts->index);
    }
    run(fts->db, "COMMIT");
}

size_t peer_fts_search(peer_fts *fts, const char *query, size_t limit, peer_reader read,
                       void *context) {
    sqlite3_bind_text(fts->search, 1, query, -1, SQLITE_STATIC);
    sqlite3_bind_int64(fts->search, 2, (sqlite3_int64)limit);
    return read_all(fts->search, read, context);
}

int64_t peer_fts_count(peer_fts *fts, const char *query) {
    sqlite3_bind_text(fts->count, 1, query, -1, SQLITE_STATIC);
    return read_integer(fts->count);
}

int64_t peer_fts_index_size(peer_fts *fts) {
    sqlite3_stmt *statement = prepared(
        fts->db, "SELECT (SELECT SUM(LENGTH(block)) FROM fts_data)"
                 " + (SELECT SUM(LENGTH(sz)) FROM fts_docsize)", 0);
    int64_t size = read_integer(statement);
    sqlite3_finalize(statement);
    return size;
}

int64_t peer_thread_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

#include "CPeers.h"
#include "failing.h"

#include <sqlite3.h>
#include <string.h>

enum {
    PUT, DELETE, NEWEST, BEFORE, FROM, GET, COUNT, COUNT_ALL, DRAFT, PUT_CHANNEL, CHANNELS,
    STATEMENTS
};

static const char *const texts[STATEMENTS] = {
    [PUT] = "INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?, ?)",
    [DELETE] = "DELETE FROM message WHERE channel = ? AND id = ?",
    [NEWEST] = "SELECT payload FROM message WHERE channel = ? "
               "ORDER BY created_at DESC, id DESC LIMIT ?",
    [BEFORE] = "SELECT payload FROM message WHERE channel = ? AND created_at < ? "
               "ORDER BY created_at DESC, id DESC LIMIT ?",
    [FROM] = "SELECT payload FROM message WHERE channel = ? AND created_at >= ? "
             "ORDER BY created_at, id LIMIT ?",
    [GET] = "SELECT payload FROM message WHERE channel = ? AND id = ?",
    [COUNT] = "SELECT COUNT(*) FROM message WHERE channel = ?",
    [COUNT_ALL] = "SELECT COUNT(*) FROM message",
    [DRAFT] = "INSERT OR REPLACE INTO draft VALUES (?, ?, ?)",
    [PUT_CHANNEL] = "INSERT OR REPLACE INTO channel VALUES (?, ?, ?, ?)",
    [CHANNELS] = "SELECT payload FROM channel ORDER BY last_message_at DESC LIMIT ?",
};

// The tables that all variants have.
#define OTHER_TABLES \
    "CREATE TABLE IF NOT EXISTS draft (request TEXT PRIMARY KEY, id TEXT, payload BLOB);" \
    "CREATE TABLE IF NOT EXISTS channel (" \
    "  number INTEGER PRIMARY KEY, url TEXT, last_message_at INTEGER, payload BLOB);" \
    "CREATE INDEX IF NOT EXISTS channel_order ON channel (last_message_at);"

// Reads use mapped files up to SQLite's default limit of 2 GiB. The primary key gives the order of
// pages. The indexes find a message by its id and by its request id.
#define TUNED_TABLES(id_type) \
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000;" \
    "PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 2147418112;" \
    "CREATE TABLE IF NOT EXISTS message (" \
    "  channel INTEGER, created_at INTEGER, id " id_type ", request TEXT, payload BLOB," \
    "  PRIMARY KEY (channel, created_at, id)) WITHOUT ROWID;" \
    "CREATE UNIQUE INDEX IF NOT EXISTS message_id ON message (channel, id);" \
    "CREATE UNIQUE INDEX IF NOT EXISTS message_request ON message (channel, request)" \
    "  WHERE request IS NOT NULL;" \
    OTHER_TABLES

static const char *const tables[] = {
    [PEER_SQLITE_TUNED] = TUNED_TABLES("TEXT"),
    [PEER_SQLITE_INTEGER_IDS] = TUNED_TABLES("INTEGER"),
    [PEER_SQLITE_RECIPE] =
        "CREATE TABLE IF NOT EXISTS message ("
        "  channel INTEGER, created_at INTEGER, id TEXT, request TEXT, payload BLOB,"
        "  PRIMARY KEY (channel, id));"
        "CREATE INDEX IF NOT EXISTS message_order ON message (channel, created_at);"
        OTHER_TABLES,
};

struct peer_sqlite {
    peer_sqlite_variant variant;
    char *path;
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENTS];
};

static bool is_recipe(const peer_sqlite *self) { return self->variant == PEER_SQLITE_RECIPE; }

// MARK: Opening

static void open_database(peer_sqlite *self) {
    if (sqlite3_open(self->path, &self->db) != SQLITE_OK) fail("SQLite", self->path);
}

static void run(peer_sqlite *self, const char *text) {
    if (sqlite3_exec(self->db, text, NULL, NULL, NULL) != SQLITE_OK) {
        fail(text, sqlite3_errmsg(self->db));
    }
}

static void close_database(peer_sqlite *self) {
    for (int index = 0; index < STATEMENTS; index++) {
        sqlite3_finalize(self->statements[index]);
        self->statements[index] = NULL;
    }
    if (sqlite3_close(self->db) != SQLITE_OK) fail("SQLite", "cannot be closed");
    self->db = NULL;
}

peer_sqlite *peer_sqlite_open(const char *path, peer_sqlite_variant variant) {
    peer_sqlite *self = calloc(1, sizeof *self);
    self->variant = variant;
    self->path = strdup(path);
    open_database(self);
    run(self, tables[variant]);
    if (is_recipe(self)) close_database(self);
    return self;
}

void peer_sqlite_close(peer_sqlite *self) {
    if (self->db) close_database(self);
    free(self->path);
    free(self);
}

// MARK: Statements

/// Opens the database for a call, if the variant requires it.
static void begin(peer_sqlite *self) {
    if (is_recipe(self)) open_database(self);
}

/// Closes the database after a call, if the variant requires it.
static void end(peer_sqlite *self) {
    if (is_recipe(self)) close_database(self);
}

static sqlite3_stmt *statement(peer_sqlite *self, int index) {
    if (!self->statements[index]
        && sqlite3_prepare_v3(
               self->db, texts[index], -1, is_recipe(self) ? 0 : SQLITE_PREPARE_PERSISTENT,
               &self->statements[index], NULL)
            != SQLITE_OK) {
        fail(texts[index], sqlite3_errmsg(self->db));
    }
    return self->statements[index];
}

static void finish(peer_sqlite *self, sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) fail("SQLite", sqlite3_errmsg(self->db));
    sqlite3_reset(statement);
}

static size_t read_all(
    peer_sqlite *self, sqlite3_stmt *statement, peer_reader read, void *context) {
    size_t count = 0;
    int result;
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
        const void *bytes = sqlite3_column_blob(statement, 0);
        read(context, bytes, (size_t)sqlite3_column_bytes(statement, 0));
        count++;
    }
    if (result != SQLITE_DONE) fail("SQLite", sqlite3_errmsg(self->db));
    sqlite3_reset(statement);
    return count;
}

static size_t read_integer(peer_sqlite *self, sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_ROW) fail("SQLite", sqlite3_errmsg(self->db));
    size_t value = (size_t)sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    return value;
}

static void bind_text(sqlite3_stmt *statement, int place, const char *text, size_t size) {
    if (text) {
        sqlite3_bind_text(statement, place, text, (int)size, SQLITE_STATIC);
    } else {
        sqlite3_bind_null(statement, place);
    }
}

/// Binds the id of a message.
///
/// As an integer, an id is a number. A hyphen and a second number may follow, which gives the order
/// of ids with the same first number.
static void bind_id(
    peer_sqlite *self, sqlite3_stmt *statement, int place, const char *id, size_t size) {
    if (self->variant != PEER_SQLITE_INTEGER_IDS) return bind_text(statement, place, id, size);
    int64_t numbers[2] = {0, 0};
    int index = 0;
    for (size_t place = 0; place < size; place++) {
        if (id[place] == '-') {
            index = 1;
        } else {
            numbers[index] = numbers[index] * 10 + (id[place] - '0');
        }
    }
    sqlite3_bind_int64(statement, place, numbers[0] * (1 << 20) + numbers[1]);
}

// MARK: Writing

static void put(peer_sqlite *self, const peer_message *message) {
    sqlite3_stmt *put = statement(self, PUT);
    sqlite3_bind_int64(put, 1, message->channel);
    sqlite3_bind_int64(put, 2, message->created_at);
    bind_id(self, put, 3, message->id, message->id_size);
    bind_text(put, 4, message->request, message->request_size);
    sqlite3_bind_blob(put, 5, message->bytes, (int)message->size, SQLITE_STATIC);
    finish(self, put);
}

static void put_draft(peer_sqlite *self, const peer_message *draft) {
    sqlite3_stmt *put = statement(self, DRAFT);
    bind_text(put, 1, draft->request, draft->request_size);
    bind_text(put, 2, draft->id, draft->id_size);
    sqlite3_bind_blob(put, 3, draft->bytes, (int)draft->size, SQLITE_STATIC);
    finish(self, put);
}

void peer_sqlite_set_durable(peer_sqlite *self, bool is_durable) {
    // The guides use SQLite's default, which syncs each transaction.
    if (is_recipe(self)) return;
    run(self, is_durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
}

void peer_sqlite_put(
    peer_sqlite *self, const peer_message *messages, size_t count, bool is_durable) {
    void (*put_one)(peer_sqlite *, const peer_message *) = is_durable ? put_draft : put;
    if (is_recipe(self)) {
        for (size_t index = 0; index < count; index++) {
            begin(self);
            put_one(self, &messages[index]);
            end(self);
        }
        return;
    }
    if (count > 1) run(self, "BEGIN IMMEDIATE");
    for (size_t index = 0; index < count; index++) put_one(self, &messages[index]);
    if (count > 1) run(self, "COMMIT");
}

void peer_sqlite_load(peer_sqlite *self, const peer_message *messages, size_t count) {
    begin(self);
    run(self, "BEGIN IMMEDIATE");
    for (size_t index = 0; index < count; index++) put(self, &messages[index]);
    run(self, "COMMIT");
    end(self);
}

bool peer_sqlite_delete(peer_sqlite *self, uint32_t channel, const char *id, size_t id_size) {
    begin(self);
    sqlite3_stmt *delete = statement(self, DELETE);
    sqlite3_bind_int64(delete, 1, channel);
    bind_id(self, delete, 2, id, id_size);
    finish(self, delete);
    bool was_there = sqlite3_changes(self->db) > 0;
    end(self);
    return was_there;
}

// MARK: Reading

size_t peer_sqlite_page(
    peer_sqlite *self, uint32_t channel, int64_t before, size_t limit, peer_reader read,
    void *context) {
    begin(self);
    bool is_newest = before == PEER_NEWEST;
    sqlite3_stmt *page = statement(self, is_newest ? NEWEST : BEFORE);
    sqlite3_bind_int64(page, 1, channel);
    if (!is_newest) sqlite3_bind_int64(page, 2, before);
    sqlite3_bind_int64(page, is_newest ? 2 : 3, (sqlite3_int64)limit);
    size_t count = read_all(self, page, read, context);
    end(self);
    return count;
}

size_t peer_sqlite_page_from(
    peer_sqlite *self, uint32_t channel, int64_t from, size_t limit, peer_reader read,
    void *context) {
    begin(self);
    sqlite3_stmt *page = statement(self, FROM);
    sqlite3_bind_int64(page, 1, channel);
    sqlite3_bind_int64(page, 2, from);
    sqlite3_bind_int64(page, 3, (sqlite3_int64)limit);
    size_t count = read_all(self, page, read, context);
    end(self);
    return count;
}

bool peer_sqlite_get(
    peer_sqlite *self, uint32_t channel, const char *id, size_t id_size, peer_reader read,
    void *context) {
    begin(self);
    sqlite3_stmt *get = statement(self, GET);
    sqlite3_bind_int64(get, 1, channel);
    bind_id(self, get, 2, id, id_size);
    bool is_there = read_all(self, get, read, context) > 0;
    end(self);
    return is_there;
}

size_t peer_sqlite_count(peer_sqlite *self, uint32_t channel) {
    begin(self);
    sqlite3_stmt *count = statement(self, COUNT);
    sqlite3_bind_int64(count, 1, channel);
    size_t value = read_integer(self, count);
    end(self);
    return value;
}

size_t peer_sqlite_count_all(peer_sqlite *self) {
    begin(self);
    size_t value = read_integer(self, statement(self, COUNT_ALL));
    end(self);
    return value;
}

// MARK: Channels

void peer_sqlite_put_channels(peer_sqlite *self, const peer_channel *channels, size_t count) {
    begin(self);
    if (count > 1) run(self, "BEGIN IMMEDIATE");
    for (size_t index = 0; index < count; index++) {
        const peer_channel *channel = &channels[index];
        sqlite3_stmt *put = statement(self, PUT_CHANNEL);
        sqlite3_bind_int64(put, 1, channel->number);
        bind_text(put, 2, channel->url, channel->url_size);
        sqlite3_bind_int64(put, 3, channel->last_message_at);
        sqlite3_bind_blob(put, 4, channel->bytes, (int)channel->size, SQLITE_STATIC);
        finish(self, put);
    }
    if (count > 1) run(self, "COMMIT");
    end(self);
}

size_t peer_sqlite_channels(
    peer_sqlite *self, size_t limit, peer_reader read, void *context) {
    begin(self);
    sqlite3_stmt *channels = statement(self, CHANNELS);
    sqlite3_bind_int64(channels, 1, (sqlite3_int64)limit);
    size_t count = read_all(self, channels, read, context);
    end(self);
    return count;
}

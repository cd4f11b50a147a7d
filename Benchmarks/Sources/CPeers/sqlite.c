#include "statements.h"

#include <string.h>

enum {
    PUT, REPLACE, DELETE, NEWEST, BEFORE, FROM, GET, COUNT, COUNT_ALL, DRAFT, PUT_CHANNEL,
    CHANNELS, STATEMENTS
};

static const char *const texts[STATEMENTS] = {
    // A stored message keeps its row and its rows in the indexes, unless its time changes.
    // INSERT OR REPLACE would delete and insert all of them. A request id never changes.
    [PUT] = "INSERT INTO message VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (channel, created_at, id) DO UPDATE SET payload = excluded.payload "
            "ON CONFLICT (channel, id) DO UPDATE "
            "SET created_at = excluded.created_at, payload = excluded.payload",
    [REPLACE] = "INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?, ?)",
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
    [DRAFT] = "INSERT INTO draft VALUES (?, ?) "
              "ON CONFLICT (request) DO UPDATE SET payload = excluded.payload",
    [PUT_CHANNEL] = "INSERT INTO channel VALUES (?, ?, ?, ?) ON CONFLICT (number) DO UPDATE "
                    "SET url = excluded.url, last_message_at = excluded.last_message_at, "
                    "payload = excluded.payload",
    [CHANNELS] = "SELECT payload FROM channel ORDER BY last_message_at DESC LIMIT ?",
};

// The tables that all variants have. The rows of drafts, which have some hundred bytes, are in one
// tree WITHOUT ROWID, so that most single writes change one page instead of two. For 100 drafts,
// separate trees of rows and keys write less, because pages are split with less work.
#define OTHER_TABLES(draft_options) \
    "CREATE TABLE IF NOT EXISTS draft (request TEXT PRIMARY KEY, payload BLOB)" draft_options ";" \
    "CREATE TABLE IF NOT EXISTS channel (" \
    "  number INTEGER PRIMARY KEY, url TEXT, last_message_at INTEGER, payload BLOB);" \
    "CREATE INDEX IF NOT EXISTS channel_order ON channel (last_message_at);"

// The primary key gives the order of pages. The indexes find a message by its id and by its request
// id.
#define TUNED_TABLES(id_type, draft_options) \
    "CREATE TABLE IF NOT EXISTS message (" \
    "  channel INTEGER, created_at INTEGER, id " id_type ", request TEXT, payload BLOB," \
    "  PRIMARY KEY (channel, created_at, id)) WITHOUT ROWID;" \
    "CREATE UNIQUE INDEX IF NOT EXISTS message_id ON message (channel, id);" \
    "CREATE UNIQUE INDEX IF NOT EXISTS message_request ON message (channel, request)" \
    "  WHERE request IS NOT NULL;" \
    OTHER_TABLES(draft_options)

static const char *const tables[] = {
    [PEER_SQLITE_TUNED] = TUNED_TABLES("TEXT", "WITHOUT ROWID"),
    [PEER_SQLITE_INTEGER_IDS] = TUNED_TABLES("INTEGER", ""),
    [PEER_SQLITE_RECIPE] =
        "CREATE TABLE IF NOT EXISTS message ("
        "  channel INTEGER, created_at INTEGER, id TEXT, request TEXT, payload BLOB,"
        "  PRIMARY KEY (channel, id));"
        "CREATE INDEX IF NOT EXISTS message_order ON message (channel, created_at);"
        OTHER_TABLES(""),
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

static void close_database(peer_sqlite *self) {
    for (int index = 0; index < STATEMENTS; index++) {
        sqlite3_finalize(self->statements[index]);
        self->statements[index] = NULL;
    }
    if (sqlite3_close(self->db) != SQLITE_OK) fail("SQLite", "cannot be closed");
    self->db = NULL;
}

/// Opens the database for a call, if the variant requires it.
static void begin(peer_sqlite *self) {
    if (is_recipe(self)) open_database(self);
}

/// Closes the database after a call, if the variant requires it.
static void end(peer_sqlite *self) {
    if (is_recipe(self)) close_database(self);
}

peer_sqlite *peer_sqlite_open(const char *path, peer_sqlite_variant variant, bool maps_file) {
    peer_sqlite *self = calloc(1, sizeof *self);
    self->variant = variant;
    self->path = strdup(path);
    if (is_recipe(self)) {
        open_database(self);
    } else {
        self->db = open_tuned(path, maps_file);
    }
    run(self->db, tables[variant]);
    end(self);
    return self;
}

void peer_sqlite_close(peer_sqlite *self) {
    if (self->db) close_database(self);
    free(self->path);
    free(self);
}

// MARK: Statements

static sqlite3_stmt *statement(peer_sqlite *self, int index) {
    if (!self->statements[index]) {
        unsigned flags = is_recipe(self) ? 0 : SQLITE_PREPARE_PERSISTENT;
        self->statements[index] = prepared(self->db, texts[index], flags);
    }
    return self->statements[index];
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
    sqlite3_stmt *put = statement(self, is_recipe(self) ? REPLACE : PUT);
    sqlite3_bind_int64(put, 1, message->channel);
    sqlite3_bind_int64(put, 2, message->created_at);
    bind_id(self, put, 3, message->id, message->id_size);
    bind_text(put, 4, message->request, message->request_size);
    bind_bytes(put, 5, message->bytes, message->size);
    finish(put);
}

static void put_draft(peer_sqlite *self, const peer_message *draft) {
    sqlite3_stmt *put = statement(self, DRAFT);
    bind_text(put, 1, draft->request, draft->request_size);
    bind_bytes(put, 2, draft->bytes, draft->size);
    finish(put);
}

void peer_sqlite_set_durable(peer_sqlite *self, bool is_durable) {
    // The guides use SQLite's default, which syncs each transaction.
    if (!is_recipe(self)) set_durable(self->db, is_durable);
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
    if (count > 1) run(self->db, "BEGIN IMMEDIATE");
    for (size_t index = 0; index < count; index++) put_one(self, &messages[index]);
    if (count > 1) run(self->db, "COMMIT");
}

void peer_sqlite_load(peer_sqlite *self, const peer_message *messages, size_t count) {
    begin(self);
    run(self->db, "BEGIN IMMEDIATE");
    for (size_t index = 0; index < count; index++) put(self, &messages[index]);
    run(self->db, "COMMIT");
    end(self);
}

bool peer_sqlite_delete(peer_sqlite *self, uint32_t channel, const char *id, size_t id_size) {
    begin(self);
    sqlite3_stmt *delete = statement(self, DELETE);
    sqlite3_bind_int64(delete, 1, channel);
    bind_id(self, delete, 2, id, id_size);
    finish(delete);
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
    size_t count = read_all(page, read, context);
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
    size_t count = read_all(page, read, context);
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
    bool is_there = read_all(get, read, context) > 0;
    end(self);
    return is_there;
}

size_t peer_sqlite_count(peer_sqlite *self, uint32_t channel) {
    begin(self);
    sqlite3_stmt *count = statement(self, COUNT);
    sqlite3_bind_int64(count, 1, channel);
    size_t value = (size_t)read_integer(count);
    end(self);
    return value;
}

size_t peer_sqlite_count_all(peer_sqlite *self) {
    begin(self);
    size_t value = (size_t)read_integer(statement(self, COUNT_ALL));
    end(self);
    return value;
}

// MARK: Channels

void peer_sqlite_put_channels(peer_sqlite *self, const peer_channel *channels, size_t count) {
    begin(self);
    if (count > 1) run(self->db, "BEGIN IMMEDIATE");
    for (size_t index = 0; index < count; index++) {
        const peer_channel *channel = &channels[index];
        sqlite3_stmt *put = statement(self, PUT_CHANNEL);
        sqlite3_bind_int64(put, 1, channel->number);
        bind_text(put, 2, channel->url, channel->url_size);
        sqlite3_bind_int64(put, 3, channel->last_message_at);
        bind_bytes(put, 4, channel->bytes, channel->size);
        finish(put);
    }
    if (count > 1) run(self->db, "COMMIT");
    end(self);
}

size_t peer_sqlite_channels(
    peer_sqlite *self, size_t limit, peer_reader read, void *context) {
    begin(self);
    sqlite3_stmt *channels = statement(self, CHANNELS);
    sqlite3_bind_int64(channels, 1, (sqlite3_int64)limit);
    size_t count = read_all(channels, read, context);
    end(self);
    return count;
}

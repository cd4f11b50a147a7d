// The alternatives to the store: LevelDB, SQLite and a plain file. They are called from C as
// directly as possible. If a call fails, it prints a line and ends the process.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A message to write: the values that indexes need, and the message's bytes.
typedef struct {
    uint32_t channel;
    int64_t created_at;
    const char *id;
    size_t id_size;
    /// The request id, or null.
    const char *_Nullable request;
    size_t request_size;
    const void *bytes;
    size_t size;
} peer_message;

/// A channel to write.
typedef struct {
    uint32_t number;
    int64_t last_message_at;
    /// The channel's current sort key in the list, or 0 for a new channel.
    int64_t old_last_message_at;
    const char *url;
    size_t url_size;
    const void *bytes;
    size_t size;
} peer_channel;

/// Receives the bytes of a row.
///
/// They are valid until the function returns.
typedef void (*peer_reader)(void *_Nullable context, const void *bytes, size_t size);

/// The value of `before` for the newest page.
#define PEER_NEWEST INT64_MAX

// MARK: LevelDB, with the rows, the order and the options of Scrollback's store

typedef struct peer_leveldb peer_leveldb;

peer_leveldb *peer_leveldb_open(const char *path);
void peer_leveldb_close(peer_leveldb *db);

/// Writes messages in one batch, with their indexes and counters.
///
/// If `looks` is true, each message is looked up before it is written, which correct indexes and
/// counters require. If it is false, all messages must be new.
void peer_leveldb_put(
    peer_leveldb *db, const peer_message *messages, size_t count, bool looks, bool is_durable);
bool peer_leveldb_delete(peer_leveldb *db, uint32_t channel, const char *id, size_t id_size);

size_t peer_leveldb_page(
    peer_leveldb *db, uint32_t channel, int64_t before, size_t limit, peer_reader read,
    void *_Nullable context);
bool peer_leveldb_get(
    peer_leveldb *db, uint32_t channel, const char *id, size_t id_size, peer_reader read,
    void *_Nullable context);
size_t peer_leveldb_count(peer_leveldb *db, uint32_t channel);
size_t peer_leveldb_count_all(peer_leveldb *db);

/// Writes outbox items durably.
///
/// Each is stored by the channel's URL and a sequence number, and also by its request id.
void peer_leveldb_put_drafts(
    peer_leveldb *db, const peer_message *drafts, size_t count, const char *url, size_t url_size);

/// Writes channels, and an index on disk of their order.
void peer_leveldb_put_channels(peer_leveldb *db, const peer_channel *channels, size_t count);
size_t peer_leveldb_channels(
    peer_leveldb *db, size_t limit, peer_reader read, void *_Nullable context);

/// Calls a function with the key and the value of each row, in the order of the keys.
void peer_leveldb_rows(
    peer_leveldb *db,
    void (*read)(
        void *_Nullable context, const void *key, size_t key_size, const void *value,
        size_t value_size),
    void *_Nullable context);

// MARK: SQLite

typedef struct peer_sqlite peer_sqlite;

/// The ways in which SQLite is used.
typedef enum {
    /// WAL, prepared statements, WITHOUT ROWID, a cache as large as the other stores' caches, no
    /// mutex, and no lock or memory that is shared with other processes.
    PEER_SQLITE_TUNED,
    /// The same as `PEER_SQLITE_TUNED`, but with message ids that are integers, and with separate
    /// trees of outbox items and their request ids.
    PEER_SQLITE_INTEGER_IDS,
    /// The way that the database guides of chat SDKs show: each call opens the file, prepares a
    /// statement, runs it and closes the file.
    ///
    /// SQLite has its defaults. A batch is a loop of single calls.
    PEER_SQLITE_RECIPE,
} peer_sqlite_variant;

/// Opens a database, and creates the tables that it lacks.
///
/// No other connection can open the database of a tuned variant until this one is closed. The
/// variant `PEER_SQLITE_RECIPE` ignores `maps_file`.
peer_sqlite *peer_sqlite_open(const char *path, peer_sqlite_variant variant, bool maps_file);
void peer_sqlite_close(peer_sqlite *db);

/// Sets whether writes are on disk when a call returns.
void peer_sqlite_set_durable(peer_sqlite *db, bool is_durable);

/// Writes messages in one transaction.
///
/// If `is_durable`, they are written as outbox items, by their request ids.
void peer_sqlite_put(peer_sqlite *db, const peer_message *messages, size_t count, bool is_durable);
/// Writes many messages in one transaction, also in the variant `PEER_SQLITE_RECIPE`.
void peer_sqlite_load(peer_sqlite *db, const peer_message *messages, size_t count);
bool peer_sqlite_delete(peer_sqlite *db, uint32_t channel, const char *id, size_t id_size);

size_t peer_sqlite_page(
    peer_sqlite *db, uint32_t channel, int64_t before, size_t limit, peer_reader read,
    void *_Nullable context);
/// Reads the messages from a time on, oldest first.
size_t peer_sqlite_page_from(
    peer_sqlite *db, uint32_t channel, int64_t from, size_t limit, peer_reader read,
    void *_Nullable context);
bool peer_sqlite_get(
    peer_sqlite *db, uint32_t channel, const char *id, size_t id_size, peer_reader read,
    void *_Nullable context);
size_t peer_sqlite_count(peer_sqlite *db, uint32_t channel);
size_t peer_sqlite_count_all(peer_sqlite *db);

void peer_sqlite_put_channels(peer_sqlite *db, const peer_channel *channels, size_t count);
size_t peer_sqlite_channels(
    peer_sqlite *db, size_t limit, peer_reader read, void *_Nullable context);

// MARK: LMDB, with the rows and the order of LevelDB

/// A database with LMDB's default settings for writes, in a mapped file.
///
/// It is the limit for reads: LMDB returns pointers into the file, and neither merges nor verifies.
typedef struct peer_lmdb peer_lmdb;

/// Opens a database; `reads_ahead` lets the system read more of the file than is requested.
peer_lmdb *peer_lmdb_open(const char *path, bool reads_ahead);
void peer_lmdb_close(peer_lmdb *db);

/// Writes new messages in one transaction, with their indexes and counters.
void peer_lmdb_insert(peer_lmdb *db, const peer_message *messages, size_t count);

size_t peer_lmdb_page(
    peer_lmdb *db, uint32_t channel, int64_t before, size_t limit, peer_reader read,
    void *_Nullable context);
/// Reads the messages from a time on, oldest first.
size_t peer_lmdb_page_from(
    peer_lmdb *db, uint32_t channel, int64_t from, size_t limit, peer_reader read,
    void *_Nullable context);
bool peer_lmdb_get(
    peer_lmdb *db, uint32_t channel, const char *id, size_t id_size, peer_reader read,
    void *_Nullable context);
size_t peer_lmdb_count(peer_lmdb *db, uint32_t channel);

// MARK: A file

/// A file to which bytes are only appended.
///
/// This is the minimum cost of a durable write.
typedef struct peer_file peer_file;

peer_file *peer_file_open(const char *path);
void peer_file_close(peer_file *file);
/// Appends bytes.
///
/// Returns when they are on disk.
void peer_file_append(peer_file *file, const void *bytes, size_t size);

// MARK: Full-text search with SQLite's FTS5, with external content and the tokenizer unicode61

typedef struct peer_fts peer_fts;

typedef enum {
    PEER_NO_INDEX,
    PEER_DETAIL_COLUMN,
    PEER_DETAIL_FULL,
    /// The detail "full", and an index of prefixes of three characters.
    PEER_WITH_PREFIXES
} peer_fts_detail;

/// A message to write.
///
/// A newer message must have a greater id.
typedef struct {
    int64_t id;
    int64_t channel;
    const char *sender;
    size_t sender_size;
    const char *text;
    size_t text_size;
} peer_text;

/// Creates a database and opens it.
peer_fts *peer_fts_open(const char *path, peer_fts_detail detail);
void peer_fts_close(peer_fts *fts);

/// Writes messages in one transaction.
void peer_fts_put(peer_fts *fts, const peer_text *texts, size_t count);

/// Passes the text of each of the newest messages that match a query to a function.
size_t peer_fts_search(
    peer_fts *fts, const char *query, size_t limit, peer_reader read, void *_Nullable context);

/// Returns the number of all messages that match a query.
int64_t peer_fts_count(peer_fts *fts, const char *query);

/// Returns the number of bytes in the tables of the index, without the overhead of SQLite's pages.
int64_t peer_fts_index_size(peer_fts *fts);

/// Returns the processor time of this thread in nanoseconds.
int64_t peer_thread_time(void);

// MARK: A table of values under integer keys, in SQLite and in LMDB

/// A value to write.
typedef struct {
    int64_t key;
    const void *bytes;
    size_t size;
} peer_value;

typedef struct peer_sqlite_table peer_sqlite_table;

peer_sqlite_table *peer_sqlite_table_open(const char *path);
void peer_sqlite_table_close(peer_sqlite_table *table);
/// Determines whether a write is on disk when it returns.
void peer_sqlite_table_set_durable(peer_sqlite_table *table, bool is_durable);
/// Writes values in one transaction.
void peer_sqlite_table_put(peer_sqlite_table *table, const peer_value *values, size_t count);
size_t peer_sqlite_table_get(
    peer_sqlite_table *table, int64_t key, peer_reader read, void *_Nullable context);
/// Reads values in the order of their keys, beginning at a key.
size_t peer_sqlite_table_range(
    peer_sqlite_table *table, int64_t key, size_t limit, peer_reader read,
    void *_Nullable context);

/// Opens a database whose writes do not wait for the disk (MDB_NOSYNC).
///
/// After a crash of the system, such a database can be damaged. `peer_lmdb_close` closes it.
peer_lmdb *peer_lmdb_table_open(const char *path);
/// Determines whether a write waits for the disk, which is LMDB's default.
void peer_lmdb_table_set_durable(peer_lmdb *table, bool is_durable);
void peer_lmdb_table_put(peer_lmdb *table, const peer_value *values, size_t count);
size_t peer_lmdb_table_get(
    peer_lmdb *table, int64_t key, peer_reader read, void *_Nullable context);
size_t peer_lmdb_table_range(
    peer_lmdb *table, int64_t key, size_t limit, peer_reader read, void *_Nullable context);

// MARK: Messages with an index of those that have a link, in SQLite

typedef struct peer_sqlite_links peer_sqlite_links;

peer_sqlite_links *peer_sqlite_links_open(const char *path);
void peer_sqlite_links_close(peer_sqlite_links *links);
/// Begins a transaction, in which new messages are written.
void peer_sqlite_links_begin(peer_sqlite_links *links);
void peer_sqlite_links_put(
    peer_sqlite_links *links, int64_t channel, int64_t created_at, const char *id, size_t id_size,
    int64_t kinds, const void *bytes, size_t size);
void peer_sqlite_links_commit(peer_sqlite_links *links);
/// Reads the newest messages of a channel that have a link.
size_t peer_sqlite_links_page(
    peer_sqlite_links *links, int64_t channel, size_t limit, peer_reader read,
    void *_Nullable context);
/// Returns the number of bytes in the rows of the index, without the overhead of SQLite's pages.
int64_t peer_sqlite_links_index_size(peer_sqlite_links *links);

#pragma clang assume_nonnull end

// What a store is measured against: LevelDB, SQLite and a plain file, called from C as directly as
// they can be. Whatever fails ends the process, with a line that says what.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A message to write: what an index needs of it, and its bytes.
typedef struct {
    uint32_t channel;
    int64_t created_at;
    const char *id;
    size_t id_size;
    /// May be missing.
    const char *_Nullable request;
    size_t request_size;
    const void *bytes;
    size_t size;
} peer_message;

/// A channel to write.
typedef struct {
    uint32_t number;
    int64_t last_message_at;
    /// Where the list has it so far; 0 if it is new.
    int64_t old_last_message_at;
    const char *url;
    size_t url_size;
    const void *bytes;
    size_t size;
} peer_channel;

/// Is lent the bytes of a row; they are gone when it returns.
typedef void (*peer_reader)(void *_Nullable context, const void *bytes, size_t size);

/// Before no message: where the newest page begins.
#define PEER_NEWEST INT64_MAX

// MARK: LevelDB, with the rows, the order and the options of Scrollback's store

typedef struct peer_leveldb peer_leveldb;

peer_leveldb *peer_leveldb_open(const char *path);
void peer_leveldb_close(peer_leveldb *db);

/// Writes messages in one batch, with their indexes and counters.
///
/// `looks`: whether it looks first for each message, as who keeps indexes and counters right has
/// to; else all of them have to be new.
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

/// Writes drafts durably: each under the channel's URL and a sequence, and under its request.
void peer_leveldb_put_drafts(
    peer_leveldb *db, const peer_message *drafts, size_t count, const char *url, size_t url_size);

/// Channels, with their order as an index on the disk.
void peer_leveldb_put_channels(peer_leveldb *db, const peer_channel *channels, size_t count);
size_t peer_leveldb_channels(
    peer_leveldb *db, size_t limit, peer_reader read, void *_Nullable context);

/// Calls a function with each key and value, in the order of the keys.
void peer_leveldb_rows(
    peer_leveldb *db,
    void (*read)(
        void *_Nullable context, const void *key, size_t key_size, const void *value,
        size_t value_size),
    void *_Nullable context);

// MARK: SQLite

typedef struct peer_sqlite peer_sqlite;

/// Opens a database; creates its tables where there are none.
///
/// `recipe`: as the database guides of chat SDKs show it: nothing is kept between two calls. Each
/// opens the file, prepares, runs and closes, with SQLite's defaults, and a batch is a loop. Else it
/// is tuned: WAL, statements prepared once, WITHOUT ROWID, as much cache as the others have.
peer_sqlite *peer_sqlite_open(const char *path, bool recipe);
void peer_sqlite_close(peer_sqlite *db);

/// Whether what is written from now on is on the disk when a call returns.
void peer_sqlite_set_durable(peer_sqlite *db, bool is_durable);

/// Writes messages in one transaction; drafts, each under its request, if they are to be durable.
void peer_sqlite_put(peer_sqlite *db, const peer_message *messages, size_t count, bool is_durable);
/// Writes many messages in one transaction, whichever way the database was opened.
void peer_sqlite_load(peer_sqlite *db, const peer_message *messages, size_t count);
bool peer_sqlite_delete(peer_sqlite *db, uint32_t channel, const char *id, size_t id_size);

size_t peer_sqlite_page(
    peer_sqlite *db, uint32_t channel, int64_t before, size_t limit, peer_reader read,
    void *_Nullable context);
bool peer_sqlite_get(
    peer_sqlite *db, uint32_t channel, const char *id, size_t id_size, peer_reader read,
    void *_Nullable context);
size_t peer_sqlite_count(peer_sqlite *db, uint32_t channel);
size_t peer_sqlite_count_all(peer_sqlite *db);

void peer_sqlite_put_channels(peer_sqlite *db, const peer_channel *channels, size_t count);
size_t peer_sqlite_channels(
    peer_sqlite *db, size_t limit, peer_reader read, void *_Nullable context);

// MARK: A file

/// A file that is only appended to: what any durable write costs at least.
typedef struct peer_file peer_file;

peer_file *peer_file_open(const char *path);
void peer_file_close(peer_file *file);
/// Appends, and returns when it is on the disk.
void peer_file_append(peer_file *file, const void *bytes, size_t size);

/// Has the system forget what it holds of a file in memory.
void peer_file_forget(const char *path);

#pragma clang assume_nonnull end

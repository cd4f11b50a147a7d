// What LevelDB's C API lacks: an environment that looks after the logs of one database.
//
// A log is LevelDB's write-ahead log, a file such as 000005.log. Around the environment below it,
// ours
//
//   - syncs each log when it is closed, which LevelDB does not, and the directory when a log is
//     new: no batch can vanish while a later one stays;
//   - lets no log grow behind a failure, and can take back a write that failed;
//   - checks the logs while LevelDB replays them, and reports what LevelDB drops in silence;
//   - lets LevelDB go on with an old log or manifest only if it ends after a whole record;
//   - fails an opening for which a log could not be read, where LevelDB would forget the log;
//   - keeps the lock of an open database when this process tries to open it once more;
//   - makes files readable for their owner alone, and writes no LOG, which would hold keys;
//   - seals what is in the files, if asked to, and notices what was changed in them;
//   - puts the cause at the end of the text of each error: " [errno 28]", or " [locked]".
//     NotFound and Corruption stay as they are, since LevelDB decides by them.
//
// Needs LevelDB 1.23: before it, leveldb::Env has no RemoveFile.
#ifndef SCROLLBACK_CLEVELDBENVIRONMENT_H
#define SCROLLBACK_CLEVELDBENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

// As in leveldb/c.h.
typedef struct leveldb_env_t leveldb_env_t;
typedef struct leveldb_options_t leveldb_options_t;
typedef struct leveldb_t leveldb_t;

/// The environment of one database, for one opening at a time. Every call is thread-safe.
typedef struct scrollback_env scrollback_env;

/// An environment on the disk.
scrollback_env *scrollback_env_create_disk(void);

/// An environment in memory: its files go with it. Syncing costs nothing there.
scrollback_env *scrollback_env_create_memory(void);

/// An environment around another one whose files are on the disk.
///
/// `base` stays the caller's and must outlive this one.
scrollback_env *scrollback_env_create_around(leveldb_env_t *base);

/// Ends an environment. Its database must be closed.
void scrollback_env_destroy(scrollback_env *env);

/// The environment as LevelDB wants it, for leveldb_options_set_env.
///
/// Belongs to `env`: never hand it to leveldb_env_destroy.
leveldb_env_t *scrollback_env_leveldb(scrollback_env *env);

/// Whether LevelDB goes on with the last log and manifest when it opens a database, instead of
/// writing a table and new ones. The environment refuses it where the old file is not whole.
void scrollback_options_set_reuse_logs(leveldb_options_t *options, uint8_t reuse);

/// Whether an opening fails with Corruption, before anything is changed, if a batch is missing in the
/// middle of the logs or one is damaged. By default it does not, and LevelDB replaces the logs by
/// tables: then only the report says what was missing.
void scrollback_env_refuse_damage(scrollback_env *env, bool refuse);

// MARK: Sealed files

enum {
    scrollback_salt_size = 32,
    scrollback_check_size = 20,
    scrollback_nonce_size = 12,
    scrollback_tag_size = 16,
};

/// Who seals files: a cipher that encrypts and authenticates, such as AES-GCM, with a key of its own for
/// each file. The functions are called on any thread.
typedef struct {
    /// Handed to the functions that have none of a file's.
    void *context;

    /// The key that new files are sealed under, by its number; 0 if new files are plain.
    uint32_t generation;

    /// Whether a file that is not sealed is read as it is. By default it is damage.
    bool reads_plain;

    /// Makes the key of a file of the data key's number, 32 random bytes, and what file it is.
    ///
    /// Returns NULL if there is no data key of that number; else `check` has what only the same
    /// arguments give, and which says nothing of the key.
    void *_Nullable (*_Nonnull make_key)(
        void *context, uint32_t generation, const uint8_t *salt, const char *identity,
        size_t identity_count, uint8_t *check);

    /// Lets go of a key.
    void (*_Nonnull drop_key)(void *key);

    /// Writes `count` bytes and the tag.
    bool (*_Nonnull seal)(
        void *key, const uint8_t *nonce, const uint8_t *bound, size_t bound_count,
        const uint8_t *_Nullable plain, size_t count, uint8_t *sealed);

    /// Reads `count` bytes and the tag, and writes `count` bytes. False if they are not what was sealed
    /// under this key with this nonce and what is bound to it; then nothing was written.
    bool (*_Nonnull open)(
        void *key, const uint8_t *nonce, const uint8_t *bound, size_t bound_count,
        const uint8_t *sealed, size_t count, uint8_t *_Nullable plain);

    /// Fills bytes that nobody can foretell.
    void (*_Nonnull randomize)(uint8_t *bytes, size_t count);
} scrollback_cipher;

/// An environment whose files are sealed, on the disk or around another environment.
///
/// `cipher` is copied; what its context points to must outlive the environment. `scope` says which database
/// it is: the files of one cannot stand for those of another.
scrollback_env *scrollback_env_create_sealed(
    leveldb_env_t *_Nullable base, const scrollback_cipher *cipher, const char *scope);

/// Writes the nonce of a page of a sealed table: 12 bytes, the page's number in 11 of them with the
/// highest first, then whether it is the last page. For tests of the format.
void scrollback_page_nonce(uint64_t page, bool is_last, uint8_t *nonce);

/// What the name of a file ends with while it is written anew, and after a crash.
#define SCROLLBACK_RESEALED_SUFFIX ".resealed"

/// Writes a file anew under the key of new files, in one step, if it is not under it; the database must
/// be closed.
///
/// Where the file is damaged, the new one is damaged in the same place. A file of which nothing can be read
/// is left as it is. Returns 0 or an errno. After an error, and after a crash, call it again.
int scrollback_env_reseal(scrollback_env *env, const char *path);

/// Hands the plain bytes of a sealed log or manifest to a function; the database must be closed.
///
/// Bytes that cannot be decrypted are 0xFF. Returns 0 or an errno: ENOTSUP if files are not sealed here.
int scrollback_env_read(
    scrollback_env *env, const char *path, void *context,
    void (*body)(void *context, const uint8_t *bytes, size_t count));

/// Replaces the plain bytes of a sealed log or manifest in one step; the database must be closed.
/// Returns 0 or an errno: ENOTSUP if files are not sealed here.
int scrollback_env_replace(
    scrollback_env *env, const char *path, const uint8_t *bytes, size_t count);

// MARK: Copies of files

/// The end of the name of a file that is not LevelDB's: a copy of a file that waits to be sent. An
/// environment that seals files seals it in pages, as it does tables.
#define SCROLLBACK_COPY_SUFFIX ".copy"

// Each call sets `error` if it fails: a text as LevelDB's errors have it, which the caller frees.

/// A file that is written once, from the beginning to the end.
typedef struct scrollback_writer scrollback_writer;

/// Creates a file that only its owner can read. An existing file is replaced.
scrollback_writer *_Nullable scrollback_env_create_file(
    scrollback_env *env, const char *path, char *_Nullable *_Nonnull error);

/// Appends bytes.
void scrollback_writer_append(
    scrollback_writer *writer, const void *_Nullable bytes, size_t count,
    char *_Nullable *_Nonnull error);

/// Ends the file. When it returns, the bytes of the file and its name in its directory are on the disk.
void scrollback_writer_finish(scrollback_writer *writer, char *_Nullable *_Nonnull error);

/// Closes the file, finished or not.
void scrollback_writer_destroy(scrollback_writer *writer);

/// A file that is read from the beginning to the end.
typedef struct scrollback_reader scrollback_reader;

/// Opens a file. `size` is the number of bytes that it holds, without the sealing.
scrollback_reader *_Nullable scrollback_env_open_file(
    scrollback_env *env, const char *path, uint64_t *size, char *_Nullable *_Nonnull error);

/// Reads the next bytes. Returns their number: less than `count` only at the end of the file.
size_t scrollback_reader_read(
    scrollback_reader *reader, void *bytes, size_t count, char *_Nullable *_Nonnull error);

/// Closes the file.
void scrollback_reader_destroy(scrollback_reader *reader);

/// Removes a file. It is not an error if there is none.
void scrollback_env_remove_file(
    scrollback_env *env, const char *path, char *_Nullable *_Nonnull error);

// MARK: Taking back a failed write

/// Notes that all that the logs hold by now is good. Call it after each write that succeeded, and
/// before the next one begins. Does nothing after a failure. Costs some 20 ns.
void scrollback_env_mark(scrollback_env *env);

/// Cuts from the logs what was written behind the last mark.
///
/// After a log could not be written or synced, every later write fails with the same error: what
/// came behind a torn record would be lost. Close the database then, call this, and open it again:
/// the failed write is not there, and writes are taken again. (An opening without it is allowed
/// too; then nobody knows whether the failed write is there.)
///
/// Returns 0 or an errno: EBUSY if the database is open, here or in another process. After an error
/// it may be called again.
int scrollback_env_roll_back(scrollback_env *env);

// MARK: Making a table of the logs

/// Has LevelDB make a table of what its logs hold, where they hold that many bytes: the next opening
/// has nothing to replay then.
///
/// Waits for the table, and at most so long; not for tables to be merged, as leveldb_compact_range
/// would. Whatever fails, the logs hold what they held before. `db` is the open database of `env`, and
/// nobody writes to it meanwhile.
///
/// Returns whether the logs hold less now.
bool scrollback_env_flush(
    scrollback_env *env, leveldb_t *db, uint64_t least_bytes, int64_t most_milliseconds);

// MARK: Locks

/// A database that nobody can open.
typedef struct scrollback_lock scrollback_lock;

/// Locks the database in a directory as an opening does, and opens nothing.
///
/// Returns NULL if it cannot, with an errno in `error`: EBUSY if the database is open, here or in
/// another process, and ENOENT if there is no such directory.
scrollback_lock *_Nullable scrollback_env_lock(
    scrollback_env *env, const char *directory, int *error);

/// Lets go of a lock.
void scrollback_env_unlock(scrollback_env *env, scrollback_lock *lock);

// MARK: What the logs looked like

/// What an opening of the database found in the logs that it replayed.
typedef struct {
    /// Logs, and write batches in them that LevelDB was given.
    uint64_t logs;
    uint64_t batches;

    /// Places where a batch is not numbered as the one that follows the one before: batches are
    /// missing in the middle, or come twice. A log that lost its end is one, if a later log has
    /// batches: no crash leaves that, since a log is synced before the next one grows. The first
    /// batch is held against the manifest.
    uint64_t breaks;

    /// Damaged places: a wrong checksum, an impossible header, a record without its beginning or
    /// end, a log that is missing.
    uint64_t damaged;

    /// The last log with batches ends within a record, or in zeros, and no whole record follows:
    /// what a crash leaves. The batch in it was lost, and with it only batches that were later
    /// still. No damage.
    bool torn_tail;

    /// The first file with a break or damage, such as "000005.log". Empty if there is none.
    char first_damaged[32];
} scrollback_log_report;

/// Returns the report of the last opening, and forgets it.
scrollback_log_report scrollback_env_take_log_report(scrollback_env *env);

// MARK: LevelDB's log format

// A log, and a manifest, is a row of blocks; a block is a row of fragments of records, each behind a
// header: its checksum in four bytes, its length in two, its kind in one. What is left of a block
// that has no room for a header is empty. DO NOT CHANGE: leveldb/doc/log_format.md.
enum {
    scrollback_log_block_size = 32768,
    scrollback_log_header_size = 7,
};

/// CRC-32C, of which the checksum of a fragment is made.
uint32_t scrollback_crc32c(const void *bytes, size_t count);

/// The checksum in the header of a fragment, of its kind and what follows: CRC-32C, masked, so that the
/// checksum of bytes which hold checksums stays strong.
uint32_t scrollback_log_checksum(const void *bytes, size_t count);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif

#endif

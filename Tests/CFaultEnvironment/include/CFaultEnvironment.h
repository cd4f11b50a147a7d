// An environment on the disk that fails on purpose, to lie below the one of CLevelDBEnvironment.
#ifndef SCROLLBACK_CFAULTENVIRONMENT_H
#define SCROLLBACK_CFAULTENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

typedef struct leveldb_env_t leveldb_env_t;

/// An environment over the default one. Every call is thread-safe.
typedef struct fault_env fault_env;

fault_env *fault_env_create(void);
void fault_env_destroy(fault_env *env);

/// The environment as LevelDB wants it. Belongs to `env`.
leveldb_env_t *fault_env_leveldb(fault_env *env);

// MARK: Failures
//
// What changes the disk is counted: a file that is created or opened for writing, each Append,
// Flush, Sync and Close of it, RenameFile, RemoveFile and CreateDir.

/// Fails the `n`th change from now, the first being 1, and all after it, until `fault_env_heal`.
void fault_env_fail_after(fault_env *env, uint64_t n, int error);

/// Fails the `n`th change from now alone.
void fault_env_fail_once(fault_env *env, uint64_t n, int error);

/// Ends the process, as `kill -9` does, instead of the `n`th change from now.
void fault_env_kill_at(fault_env *env, uint64_t n);

/// Fails, until `fault_env_heal`, to open files for writing whose path ends so, or to sync them.
void fault_env_fail_creates(fault_env *env, const char *suffix, int error);
void fault_env_fail_syncs(fault_env *env, const char *suffix, int error);

/// Fails, until `fault_env_heal`, to open files for reading whose path ends so, or to read them.
void fault_env_fail_opens(fault_env *env, const char *suffix, int error);
void fault_env_fail_reads(fault_env *env, const char *suffix, int error);

/// Whether half of the bytes of a failing Append reach the file.
void fault_env_tear_appends(fault_env *env, bool tear);

/// Ends all failures.
void fault_env_heal(fault_env *env);

// MARK: Power cuts

/// Cuts the power: from now on changes seem to succeed, and nothing reaches the disk, so that the
/// database can still be closed.
void fault_env_freeze(fault_env *env);

/// Cuts it at the `n`th change from now, the first being 1, before that reaches the disk.
void fault_env_freeze_after(fault_env *env, uint64_t n);

/// Makes the disk one that lies: a sync succeeds and does nothing.
void fault_env_ignore_syncs(fault_env *env, bool ignore);

typedef enum {
    fault_env_all_files,
    /// Logs but the newest one: what a power cut leaves where old logs are not synced.
    fault_env_old_logs,
} fault_env_files;

/// Takes from the files that were written through this environment what was not synced, once the
/// database is closed; files that never were are removed. Returns how many files lost something.
int fault_env_lose_unsynced(fault_env *env, fault_env_files which);

// MARK: Measures

typedef struct {
    uint64_t changes;
    uint64_t opened_files;
    uint64_t appends;
    uint64_t appended_bytes;
    uint64_t syncs;
} fault_env_counts;

/// What was asked since the environment was created, whether it failed or not.
fault_env_counts fault_env_counted(fault_env *env);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif

#endif

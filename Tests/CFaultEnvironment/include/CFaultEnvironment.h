// A LevelDB environment that can be made to fail. The environment of CLevelDBEnvironment uses it in
// place of the default one.
#ifndef SCROLLBACK_CFAULTENVIRONMENT_H
#define SCROLLBACK_CFAULTENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

typedef struct scrollback_base_env scrollback_base_env;

/// An environment that calls LevelDB's default one.
///
/// Every call is thread-safe.
typedef struct fault_env fault_env;

fault_env *fault_env_create(void);
void fault_env_destroy(fault_env *env);

/// Returns the environment as the type that CLevelDBEnvironment.h expects.
///
/// `env` owns it.
scrollback_base_env *fault_env_base(fault_env *env);

// MARK: Failures
//
// The environment counts these changes of the disk: creating a file, opening it for writing, each
// Append, Flush, Sync and Close of the file, and each RenameFile, RemoveFile and CreateDir.

/// Makes the `n`th change from now (the first is 1) and all later ones fail, until `fault_env_heal`
/// is called.
void fault_env_fail_after(fault_env *env, uint64_t n, int error);

/// Makes only the `n`th change from now fail.
void fault_env_fail_once(fault_env *env, uint64_t n, int error);

/// Ends the process instead of making the `n`th change from now, as `kill -9` does.
void fault_env_kill_at(fault_env *env, uint64_t n);

/// Makes opening for writing, or syncing, fail for files whose path has this suffix, until
/// `fault_env_heal` is called.
void fault_env_fail_creates(fault_env *env, const char *suffix, int error);
void fault_env_fail_syncs(fault_env *env, const char *suffix, int error);

/// Makes opening for reading, or reading, fail for files whose path has this suffix, until
/// `fault_env_heal` is called.
void fault_env_fail_opens(fault_env *env, const char *suffix, int error);
void fault_env_fail_reads(fault_env *env, const char *suffix, int error);

/// If `tear` is true, a failing Append writes half of its bytes to the file.
void fault_env_tear_appends(fault_env *env, bool tear);

/// Ends all failures.
void fault_env_heal(fault_env *env);

// MARK: Power cuts

/// Simulates a power cut: from now on, changes appear to succeed, but do not reach the disk.
///
/// The database can still be closed.
void fault_env_freeze(fault_env *env);

/// Simulates a power cut before the `n`th change from now (the first is 1) reaches the disk.
void fault_env_freeze_after(fault_env *env, uint64_t n);

/// If `ignore` is true, a sync succeeds and does nothing.
void fault_env_ignore_syncs(fault_env *env, bool ignore);

typedef enum {
    fault_env_all_files,
    /// All logs except the newest one.
    ///
    /// This shows what a power cut removes if LevelDB does not sync older logs.
    fault_env_old_logs,
} fault_env_files;

/// Removes unsynced data from the files that were written through this environment.
///
/// The database must be closed.
///
/// Files that were never synced are removed. Returns the number of files that lost data.
int fault_env_lose_unsynced(fault_env *env, fault_env_files which);

// MARK: Measures

typedef struct {
    uint64_t changes;
    uint64_t opened_files;
    uint64_t appends;
    uint64_t appended_bytes;
    uint64_t syncs;
} fault_env_counts;

/// Returns the number of calls since the environment was created.
///
/// Failed calls are included.
fault_env_counts fault_env_counted(fault_env *env);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif

#endif

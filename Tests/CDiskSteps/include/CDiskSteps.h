// Counts a process's changes to the files in a directory, and ends the process at a given step.
//
// The program that links this target replaces the calls of the C library that change files.
// Therefore LevelDB's and Foundation's changes are counted, too. This works only on Linux; on other
// systems, no step is counted.
#ifndef SCROLLBACK_CDISKSTEPS_H
#define SCROLLBACK_CDISKSTEPS_H

#include <stdbool.h>

#pragma clang assume_nonnull begin

#ifdef __cplusplus
extern "C" {
#endif

/// Returns true if this system supports counting steps.
bool disk_steps_are_counted(void);

/// Begins to count steps: creating, renaming or removing a file or directory, writing, and syncing
/// to disk.
///
/// Successive writes to one file are one step.
///
/// `directory` is an absolute path without a slash at its end. Steps are counted from 1. Before the
/// step with the number `last`, the process ends as by `kill -9`; if `last` is 0, it does not end.
/// Each step is written to the file descriptor `trace` before it is made, as a line such as
/// `unlink /path`; if `trace` is -1, no line is written.
void disk_steps_begin(const char *directory, unsigned long last, int trace);

/// Ends counting.
void disk_steps_end(void);

#ifdef __cplusplus
}
#endif

#pragma clang assume_nonnull end

#endif

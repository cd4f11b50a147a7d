// Counts a process's changes to the files below a directory, and ends it at a step.
//
// The calls of the C library that change files are replaced in the program that links this, for
// LevelDB and Foundation, too. This works on Linux only; on other systems, no step is counted.
#ifndef SCROLLBACK_CDISKSTEPS_H
#define SCROLLBACK_CDISKSTEPS_H

#include <stdbool.h>

#pragma clang assume_nonnull begin

#ifdef __cplusplus
extern "C" {
#endif

/// Returns true if this system supports counting steps.
bool disk_steps_are_counted(void);

/// Begins to count: a file or directory that is created, renamed or removed, a write, a sync. Writes to one
/// file, one after the other, are one step.
///
/// `directory` is absolute, without a slash at its end. Instead of the step number `last`, counted from 1, the
/// process ends as by `kill -9`; with 0 it never does. Each step is written to the file descriptor `trace` before
/// it is done, as a line such as `unlink /path`; with -1 none is.
void disk_steps_begin(const char *directory, unsigned long last, int trace);

/// Ends counting.
void disk_steps_end(void);

#ifdef __cplusplus
}
#endif

#pragma clang assume_nonnull end

#endif

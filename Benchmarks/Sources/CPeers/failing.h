#pragma once

#include <stdio.h>
#include <stdlib.h>

/// Prints why an operation failed, and ends the process, because a failed benchmark has no results.
static inline _Noreturn void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

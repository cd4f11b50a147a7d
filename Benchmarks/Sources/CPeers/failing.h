#pragma once

#include <stdio.h>
#include <stdlib.h>

/// Ends the process with a message: a benchmark that failed has no figures.
static inline _Noreturn void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

#pragma once

#include <stdio.h>
#include <stdlib.h>

/// A benchmark that went wrong has no figures.
static inline _Noreturn void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

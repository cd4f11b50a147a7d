// Replaces malloc and the related functions, and counts the calls. The linker prefers definitions
// in the program, and the libraries then use them, too. glibc keeps its own definitions under other
// names, which are called here.

#include "CAllocations.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

void keep_pointer(const void *value) { (void)value; }

#ifdef __GLIBC__

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static volatile bool is_counting = false;
static _Atomic long count = 0;

static inline void note(void) {
    if (is_counting) count++;
}

void allocations_start(void) {
    count = 0;
    is_counting = true;
}

long allocations_stop(void) {
    is_counting = false;
    return count;
}

void *malloc(size_t size) {
    note();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    note();
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    note();
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    note();
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}

#else

void allocations_start(void) {}
long allocations_stop(void) { return -1; }

#endif

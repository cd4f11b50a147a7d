#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CDiskSteps.h"

#if !defined(__linux__)

bool disk_steps_are_counted(void) { return false; }
void disk_steps_begin(const char *directory, unsigned long last, int trace) {}
void disk_steps_end(void) {}

#else

#include <atomic>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

// This file is C++ because SwiftPM passes the C++ standard to all targets of C and C++.
extern "C" {

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static std::atomic<bool> counts;
static char root[4096];
static char last_write[4096];
static unsigned long count;
static unsigned long last_step;
static int trace_file = -1;

bool disk_steps_are_counted(void) { return true; }

void disk_steps_begin(const char *directory, unsigned long last, int trace) {
    snprintf(root, sizeof root, "%s/", directory);
    last_write[0] = 0;
    count = 0;
    last_step = last;
    trace_file = trace;
    counts = true;
}

void disk_steps_end(void) { counts = false; }

static void step(const char *name, const char *path) {
    if (!counts || strncmp(path, root, strlen(root)) != 0) return;
    int error = errno;
    pthread_mutex_lock(&lock);
    bool is_write = strcmp(name, "write") == 0;
    if (!is_write || strcmp(last_write, path) != 0) {
        count += 1;
        if (count == last_step) kill(getpid(), SIGKILL);
        if (trace_file >= 0) {
            char line[8300];
            int length = snprintf(line, sizeof line, "%s %s\n", name, path);
            (void)!syscall(SYS_write, trace_file, line, (size_t)length);
        }
    }
    snprintf(last_write, sizeof last_write, "%s", is_write ? path : "");
    pthread_mutex_unlock(&lock);
    errno = error;
}

static void path_of(int file, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, size - 1);
    path[length > 0 ? length : 0] = 0;
}

static void step_at(const char *name, int directory, const char *path) {
    if (!counts) return;
    if (path[0] == '/') return step(name, path);
    char parent[4096], whole[8200];
    if (directory == AT_FDCWD) {
        if (!getcwd(parent, sizeof parent)) return;
    } else {
        path_of(directory, parent, sizeof parent);
    }
    snprintf(whole, sizeof whole, "%s/%s", parent, path);
    step(name, whole);
}

static void step_of(const char *name, int file) {
    if (!counts) return;
    char path[4096];
    path_of(file, path, sizeof path);
    step(name, path);
}

static int open_at(int directory, const char *path, int flags, mode_t mode) {
    if (counts && (flags & (O_CREAT | O_TRUNC))) {
        struct stat status;
        bool exists = fstatat(directory, path, &status, AT_SYMLINK_NOFOLLOW) == 0;
        if (!exists || (flags & O_TRUNC)) step_at(exists ? "truncate" : "create", directory, path);
    }
    return (int)syscall(SYS_openat, directory, path, flags, mode);
}

#define MODE_OF(flags)                                                                             \
    mode_t mode = 0;                                                                               \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                       \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        mode = va_arg(arguments, mode_t);                                                          \
        va_end(arguments);                                                                         \
    }

int open(const char *path, int flags, ...) {
    MODE_OF(flags)
    return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE_OF(flags)
    return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...) {
    MODE_OF(flags)
    return open_at(directory, path, flags, mode);
}

int openat64(int directory, const char *path, int flags, ...) {
    MODE_OF(flags)
    return open_at(directory, path, flags, mode);
}

ssize_t write(int file, const void *bytes, size_t size) {
    step_of("write", file);
    return syscall(SYS_write, file, bytes, size);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    step_of("write", file);
    return syscall(SYS_writev, file, parts, count);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
    step_of("write", file);
    return syscall(SYS_pwrite64, file, bytes, size, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
    step_of("write", file);
    return syscall(SYS_pwrite64, file, bytes, size, offset);
}

int ftruncate(int file, off_t size) {
    step_of("truncate", file);
    return (int)syscall(SYS_ftruncate, file, size);
}

int fsync(int file) {
    step_of("sync", file);
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
    step_of("sync", file);
    return (int)syscall(SYS_fdatasync, file);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to) {
    step_at("rename", from_directory, from);
    return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, 0);
}

int rename(const char *from, const char *to) { return renameat(AT_FDCWD, from, AT_FDCWD, to); }

int unlinkat(int directory, const char *path, int flags) {
    step_at("unlink", directory, path);
    return (int)syscall(SYS_unlinkat, directory, path, flags);
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int remove(const char *path) {
    if (unlinkat(AT_FDCWD, path, 0) == 0) return 0;
    return errno == EISDIR || errno == EPERM ? rmdir(path) : -1;
}

int mkdirat(int directory, const char *path, mode_t mode) {
    struct stat status;
    if (counts && fstatat(directory, path, &status, AT_SYMLINK_NOFOLLOW) != 0)
        step_at("create", directory, path);
    return (int)syscall(SYS_mkdirat, directory, path, mode);
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

}  // extern "C"

#endif

#include "CPeers.h"
#include "failing.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct peer_file {
    int descriptor;
};

peer_file *peer_file_open(const char *path) {
    peer_file *file = malloc(sizeof *file);
    file->descriptor = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    if (file->descriptor < 0) fail("open", path);
    return file;
}

void peer_file_close(peer_file *file) {
    close(file->descriptor);
    free(file);
}

void peer_file_append(peer_file *file, const void *bytes, size_t size) {
    if (write(file->descriptor, bytes, size) != (ssize_t)size) fail("append", "a file");
#ifdef __APPLE__
    if (fcntl(file->descriptor, F_FULLFSYNC) != 0) fail("sync", "a file");
#else
    if (fdatasync(file->descriptor) != 0) fail("sync", "a file");
#endif
}

#ifndef SCROLLBACK_STATUS_H
#define SCROLLBACK_STATUS_H

#include <cerrno>
#include <string>

#include "leveldb/status.h"

namespace scrollback {

/// Returns an error with its cause appended.
///
/// LevelDB's text has the cause only in words, which differ between systems.
inline leveldb::Status WithCause(const leveldb::Status &status, const std::string &cause) {
    const std::string prefix = "IO error: ";
    std::string text = status.ToString();
    if (text.compare(0, prefix.size(), prefix) == 0) text.erase(0, prefix.size());
    return leveldb::Status::IOError(text + " [" + cause + "]");
}

inline leveldb::Status WithErrno(const leveldb::Status &status, int error) {
    return WithCause(status, "errno " + std::to_string(error));
}

/// Calls the underlying environment, and adds the errno to the text of its error, if there is one.
///
/// The errno is 0 if no system call failed.
template <class Call>
leveldb::Status Checked(Call call) {
    errno = 0;
    leveldb::Status status = call();
    int error = errno;
    if (status.ok() || status.IsNotFound() || status.IsCorruption()) return status;
    return WithErrno(status, error);
}

}  // namespace scrollback

#endif

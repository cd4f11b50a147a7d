#ifndef SCROLLBACK_PATHS_H
#define SCROLLBACK_PATHS_H

#include <string>

namespace scrollback {

/// What a path ends with, behind its last slash.
inline std::string NameOf(const std::string &path) { return path.substr(path.rfind('/') + 1); }

/// The directory that a file is in.
inline std::string DirectoryOf(const std::string &path) {
    size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace scrollback

#endif

#ifndef SCROLLBACK_PATHS_H
#define SCROLLBACK_PATHS_H

#include <string>

namespace scrollback {

/// Returns the last component of a path.
inline std::string NameOf(const std::string &path) { return path.substr(path.rfind('/') + 1); }

/// Returns the directory of a file.
inline std::string DirectoryOf(const std::string &path) {
    size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace scrollback

#endif

// LevelDB's C API under one module name. An app that brings its own LevelDB (an XCFramework or a
// source target) gives that module this name, too. Nothing else changes.
#ifndef SCROLLBACK_CLEVELDB_SHIM_H
#define SCROLLBACK_CLEVELDB_SHIM_H

#if __has_include(<leveldb/c.h>)
#include <leveldb/c.h>
#else
#error "LevelDB's headers were not found. Run 'make deps', or: apt-get install libleveldb-dev (Debian, Ubuntu); brew install leveldb, then build with CPATH=$(brew --prefix)/include LIBRARY_PATH=$(brew --prefix)/lib (macOS)."
#endif

#endif

// GNU readline. Only Examples/REPL may use it: it is under the GPL, so no library of the package
// contains it.
#ifndef SCROLLBACK_CREADLINE_SHIM_H
#define SCROLLBACK_CREADLINE_SHIM_H

#include <stdio.h>  // readline.h uses FILE without including this

#if __has_include(<readline/readline.h>)
#include <readline/readline.h>
#include <readline/history.h>
#else
#error "GNU readline's headers were not found. Run 'make deps', or: apt-get install libreadline-dev (Debian, Ubuntu); brew install readline, then build with CPATH=$(brew --prefix readline)/include LIBRARY_PATH=$(brew --prefix readline)/lib (macOS)."
#endif

#endif

// Type information of the LevelDB classes that ours derive from.
//
// The compiler makes each of our classes point to its base's. Debian's LevelDB has it; Homebrew's
// is built without (-fno-rtti), and would not link. To build ours without it takes a flag that
// SwiftPM refuses in a dependency, so we bring it along: weak, for where LevelDB is linked
// statically and has it too, and hidden, so that a shared LevelDB keeps its own. Nobody compares
// the two: neither LevelDB nor we use dynamic_cast, typeid, or these classes as exceptions.

namespace {

/// As the C++ ABI has it, for a class with no or one base.
struct TypeInfo {
    const void *const *table;
    const char *name;
    const TypeInfo *base;
};

}  // namespace

#define STRING_(text) #text
#define STRING(text) STRING_(text)
// Apple's symbols begin with one more underscore.
#define SYMBOL(name) __asm__(STRING(__USER_LABEL_PREFIX__) name)
#define OURS extern __attribute__((weak, visibility("hidden"))) const TypeInfo

extern "C" {

extern const void *const classTable[] SYMBOL("_ZTVN10__cxxabiv117__class_type_infoE");
extern const void *const derivedClassTable[] SYMBOL("_ZTVN10__cxxabiv120__si_class_type_infoE");

// A table's first two words stand before the address that objects point to.
#define CLASS(variable, name) \
    OURS variable SYMBOL("_ZTI" name); \
    OURS variable = {classTable + 2, name, nullptr}
#define DERIVED_CLASS(variable, name, base) \
    OURS variable SYMBOL("_ZTI" name); \
    OURS variable = {derivedClassTable + 2, name, &base}

CLASS(env, "N7leveldb3EnvE");
DERIVED_CLASS(envWrapper, "N7leveldb10EnvWrapperE", env);
CLASS(sequentialFile, "N7leveldb14SequentialFileE");
CLASS(randomAccessFile, "N7leveldb16RandomAccessFileE");
CLASS(writableFile, "N7leveldb12WritableFileE");

}

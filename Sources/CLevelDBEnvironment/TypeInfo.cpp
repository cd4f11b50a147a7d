// Type information of the LevelDB classes from which ours derive.
//
// The compiler makes the type information of each of our classes refer to that of its base class.
// Debian's LevelDB contains the latter, but Homebrew's is built without it (-fno-rtti), so that our
// classes would not link. Building them without type information requires a flag that SwiftPM
// rejects in a dependency. Therefore this file defines it: as weak, for a static LevelDB that
// contains it, and as hidden, so that a shared LevelDB keeps its own. The two are never compared:
// neither LevelDB nor this target uses dynamic_cast, typeid, or these classes as exceptions.

namespace {

/// The layout of type information in the C++ ABI, for a class with at most one base class.
struct TypeInfo {
    const void *const *table;
    const char *name;
    const TypeInfo *base;
};

}  // namespace

#define STRING_(text) #text
#define STRING(text) STRING_(text)
// Symbols on Apple platforms begin with an additional underscore.
#define SYMBOL(name) __asm__(STRING(__USER_LABEL_PREFIX__) name)
#define OURS extern __attribute__((weak, visibility("hidden"))) const TypeInfo

extern "C" {

extern const void *const classTable[] SYMBOL("_ZTVN10__cxxabiv117__class_type_infoE");
extern const void *const derivedClassTable[] SYMBOL("_ZTVN10__cxxabiv120__si_class_type_infoE");

// The first two words of a table precede the address to which objects point.
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

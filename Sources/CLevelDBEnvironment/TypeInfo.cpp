// Type information of the LevelDB classes from which ours derive.
//
// The compiler makes the type information of each class of this target refer to the type
// information of its base class in LevelDB. Debian's LevelDB contains that, but Homebrew's LevelDB
// is built without type information (-fno-rtti), so that the classes of this target would not link.
// Building this target without type information requires a flag that SwiftPM rejects in a
// dependency. Therefore this file defines the type information of the base classes. The definitions
// are weak, in case a static LevelDB contains them, and hidden, so that a shared LevelDB keeps its
// own ones. It does not matter which definition is used: neither LevelDB nor this target uses
// dynamic_cast, typeid, or these classes as exceptions.

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

// Objects point to an address in the table that is preceded by its first two words.
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

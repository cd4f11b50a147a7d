import CLevelDB

/// The LevelDB library that this process is linked with.
package enum LevelDB {
    /// Its version, as in 1.23.
    package static var version: (major: Int, minor: Int) {
        (Int(leveldb_major_version()), Int(leveldb_minor_version()))
    }
}

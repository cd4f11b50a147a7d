// swift-tools-version: 6.2

import PackageDescription

// A separate package, so that users of Scrollback do not fetch the libraries with which it is
// compared.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v14)],
    products: [
        .executable(name: "bench", targets: ["Bench"]),
        .executable(name: "bench-store", targets: ["StoreBench"]),
        .executable(name: "bench-sync", targets: ["SyncBench"]),
        .executable(name: "bench-search", targets: ["SearchBench"]),
    ],
    dependencies: [
        .package(path: "../Tests/Scrollback"),
        .package(path: "Measuring"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        // The same version as the plugin that generated Sources/Protobuf.
        .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        // `make schema` writes compared.proto, with the types that the benchmark uses and the types
        // of their fields. To generate Sources/Protobuf from it, run `swift build -c release
        // --product protoc-gen-swift` in a checkout of swift-protobuf, and then, with that plugin:
        // protoc --swift_opt=Visibility=Public --swift_out=Sources/Protobuf compared.proto
        .target(
            name: "Protobuf",
            dependencies: [.product(name: "SwiftProtobuf", package: "swift-protobuf")]
        ),

        .executableTarget(
            name: "Bench",
            dependencies: [
                "Protobuf",
                .product(name: "Measuring", package: "Measuring"),
                .product(name: "Models", package: "scrollback"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ]
        ),

        // LevelDB, SQLite and LMDB, called from C, on Linux.
        .target(
            name: "CPeers",
            linkerSettings: [
                .linkedLibrary("leveldb"), .linkedLibrary("sqlite3"), .linkedLibrary("lmdb"),
            ]
        ),

        .executableTarget(
            name: "StoreBench",
            dependencies: [
                "CPeers",
                .product(name: "Measuring", package: "Measuring"),
                .product(name: "Models", package: "scrollback"),
                .product(name: "Store", package: "scrollback"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),

        .executableTarget(
            name: "SyncBench",
            dependencies: [
                .product(name: "Measuring", package: "Measuring"),
                .product(name: "Models", package: "scrollback"),
                .product(name: "Store", package: "scrollback"),
                .product(name: "Sync", package: "scrollback"),
                .product(name: "Collections", package: "scrollback"),
                .product(name: "EmbeddedServer", package: "scrollback"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),

        .executableTarget(
            name: "SearchBench",
            dependencies: [
                "CPeers",
                .product(name: "Measuring", package: "Measuring"),
                .product(name: "Models", package: "scrollback"),
                .product(name: "Store", package: "scrollback"),
                .product(name: "Sync", package: "scrollback"),
                .product(name: "Collections", package: "scrollback"),
                .product(name: "EmbeddedServer", package: "scrollback"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

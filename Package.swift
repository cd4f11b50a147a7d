// swift-tools-version: 6.2

import PackageDescription

// LevelDB. On a Mac, which also builds apps for iOS, SwiftPM builds it from source. On Linux, it is
// a library of the system, such as Debian's libleveldb-dev.
#if os(macOS)
    let levelDBPackages: [Package.Dependency] = [
        .package(url: "https://github.com/firebase/leveldb", from: "1.22.2")
    ]
    let levelDB: [Target.Dependency] = [.product(name: "leveldb", package: "leveldb")]
    let levelDBLibrary: [LinkerSetting] = []
#else
    let levelDBPackages: [Package.Dependency] = []
    let levelDB: [Target.Dependency] = []
    let levelDBLibrary: [LinkerSetting] = [.linkedLibrary("leveldb")]
#endif

let package = Package(
    name: "Scrollback",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [
        // Each product lists AppleCollectionsAlias; the comment at that target gives the reason.
        .library(name: "Scrollback", targets: ["Scrollback", "AppleCollectionsAlias"]),
        .library(name: "Models", targets: ["Models", "AppleCollectionsAlias"]),
        .library(name: "Store", targets: ["Store", "AppleCollectionsAlias"]),
        .library(name: "Sync", targets: ["Sync", "AppleCollectionsAlias"]),
        .library(name: "Collections", targets: ["Collections", "AppleCollectionsAlias"]),
        .library(
            name: "EmbeddedServer", targets: ["EmbeddedServer", "AppleCollectionsAlias"]),
        .library(name: "MatrixBackend", targets: ["MatrixBackend", "AppleCollectionsAlias"]),
        .library(
            name: "ScrollbackTesting", targets: ["ScrollbackTesting", "AppleCollectionsAlias"]),
        // Needs the trait `Inspector`.
        .library(
            name: "ScrollbackInspector", targets: ["ScrollbackInspector", "AppleCollectionsAlias"]),
        // `make install` installs it as `scrollback`. A product of that name could share a build
        // directory with the module `Scrollback` on a case-insensitive disk.
        .executable(name: "scrollback-repl", targets: ["ScrollbackPrompt"]),
    ],
    traits: [
        // Without it, SwiftPM neither fetches nor builds FlyingFox. A dependency of a product that
        // an app does not use would be fetched and built nevertheless.
        .trait(name: "Inspector", description: "Builds the inspector, which needs an HTTP server."),
        // Without it, SwiftPM does not fetch swift-log.
        .trait(name: "Logging", description: "Connects the log of a client to swift-log."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        // Before version 1.0, a minor version may break the API.
        .package(url: "https://github.com/swhitty/FlyingFox", .upToNextMinor(from: "0.27.1")),
    ] + levelDBPackages,
    targets: [
        // MARK: C libraries

        .target(
            name: "CScrollbackLevelDB", dependencies: levelDB, path: "Sources/CLevelDB",
            linkerSettings: levelDBLibrary
        ),
        .systemLibrary(
            name: "CScrollbackReadline",
            path: "Sources/CReadline",
            providers: [.apt(["libreadline-dev"]), .brew(["readline"])]
        ),

        // MARK: Libraries: each imports only those above it

        .target(name: "Models"),
        .target(
            name: "Store",
            dependencies: [
                "Models", "CScrollbackLevelDB",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .target(name: "Sync", dependencies: ["Models", "Store"]),
        .target(
            name: "Collections",
            dependencies: [
                "Models", "Store", "Sync",
                .product(
                    name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
                // Never built. swift-collections has a target `Collections` too, and SwiftPM
                // rejects a graph with two targets of one name. This alias renames Apple's target,
                // so that apps that use swift-collections or NIO need no change. The condition, a
                // platform that is not supported, prevents the target from being built.
                .product(
                    name: "Collections",
                    package: "swift-collections",
                    moduleAliases: ["Collections": "AppleCollections"],
                    condition: .when(platforms: [.windows])
                ),
            ]
        ),
        .target(name: "Scrollback", dependencies: ["Models", "Store", "Sync", "Collections"]),

        .target(name: "MatrixBackend", dependencies: ["Models", "Sync"]),

        // MARK: To develop and test with

        .target(name: "EmbeddedServer", dependencies: ["Models", "Store", "Sync"]),
        .target(name: "ScrollbackTesting", dependencies: ["Models", "Store", "Sync"]),

        .target(
            name: "ScrollbackInspector",
            dependencies: [
                "Models", "Store", "Sync", "Collections",
                .product(
                    name: "FlyingSocks", package: "FlyingFox",
                    condition: .when(traits: ["Inspector"])),
            ],
            resources: [.embedInCode("Page")]
        ),

        // Never builds Collections. SwiftPM looks for aliases only in what an app names, and an app
        // that names `Models` alone would not be led to the alias above.
        .target(
            name: "AppleCollectionsAlias",
            dependencies: [.target(name: "Collections", condition: .when(platforms: [.windows]))]
        ),

        // MARK: Examples

        .executableTarget(
            name: "ScrollbackPrompt", dependencies: ["ScrollbackREPL"], path: "Examples/Prompt"),
        .target(
            name: "ScrollbackREPL",
            dependencies: [
                "Scrollback", "Models", "Store", "Sync", "Collections", "ScrollbackInspector",
                "EmbeddedServer", "MatrixBackend", "CScrollbackReadline",
            ],
            path: "Examples/REPL"
        ),

        .executableTarget(
            name: "ScrollbackMessenger",
            dependencies: ["Scrollback", "EmbeddedServer"],
            path: "Examples/Messenger"
        ),
        // The app of the README. Without SwiftUI, it only says so.
        .executableTarget(
            name: "ScrollbackChatApp",
            dependencies: ["Scrollback", "EmbeddedServer"],
            path: "Examples/ChatApp"
        ),

        // MARK: Tests

        .target(name: "ScrollbackTestSupport", path: "Tests/Support"),
        .target(
            name: "ScrollbackStorySupport",
            dependencies: [
                "Collections", "Sync", "Models", "Store", "EmbeddedServer", "ScrollbackTesting",
                "ScrollbackTestSupport",
            ],
            path: "Tests/StorySupport"
        ),
        .testTarget(
            name: "MessengerTests",
            dependencies: ["ScrollbackMessenger", "Scrollback", "EmbeddedServer"]
        ),
        .testTarget(
            name: "ModelsTests",
            dependencies: ["Models", "ScrollbackTesting", "ScrollbackTestSupport"],
            exclude: ["Golden"]
        ),
        .testTarget(
            name: "StoreTests",
            dependencies: [
                "Store", "Models", "ScrollbackTesting", "ScrollbackTestSupport",
                "CScrollbackLevelDB", "CScrollbackFaultEnvironment",
                "ScrollbackFaultyDisks", "ScrollbackCrashWriter",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            exclude: ["OutboxFiles/Copies", "Schemas"]
        ),
        .executableTarget(
            name: "ScrollbackCrashWriter",
            dependencies: ["Store", "Models", "ScrollbackTesting"],
            path: "Tests/CrashWriter"
        ),
        .target(
            name: "CScrollbackFaultEnvironment", dependencies: ["CScrollbackLevelDB"] + levelDB,
            path: "Tests/CFaultEnvironment"
        ),
        .target(
            name: "ScrollbackFaultyDisks",
            dependencies: ["Store", "CScrollbackFaultEnvironment"],
            path: "Tests/FaultyDisks"
        ),
        .testTarget(
            name: "SyncTests",
            dependencies: [
                "Collections", "Sync", "Models", "Store", "EmbeddedServer", "ScrollbackTesting",
                "ScrollbackStorySupport", "ScrollbackTestSupport", "ScrollbackFaultyDisks",
            ]),
        .testTarget(
            name: "EmbeddedServerTests",
            dependencies: [
                "EmbeddedServer", "ScrollbackTesting", "Models", "Store", "Sync",
                "ScrollbackTestSupport",
                "ScrollbackFaultyDisks",
            ]),
        .testTarget(
            name: "MatrixBackendTests",
            dependencies: [
                "MatrixBackend", "ScrollbackTesting", "Models", "Store", "Sync", "Collections",
                "EmbeddedServer", "ScrollbackTestSupport",
            ],
            exclude: ["Recorded"]),
        .testTarget(
            name: "ScrollbackTestingTests",
            dependencies: [
                "ScrollbackTesting", "EmbeddedServer", "Models", "Store", "Sync",
                "ScrollbackTestSupport",
            ]),
        .testTarget(
            name: "CollectionsTests",
            dependencies: [
                "Collections", "Models", "Store", "Sync", "EmbeddedServer", "ScrollbackTesting",
                "ScrollbackStorySupport", "ScrollbackTestSupport", "ScrollbackListPrinter",
                "ScrollbackKilledScenarios",
            ]),
        .testTarget(
            name: "ScrollbackInspectorTests",
            dependencies: [
                "ScrollbackInspector", "Collections", "Models", "Store", "Sync", "EmbeddedServer",
                "ScrollbackTesting",
                .product(
                    name: "FlyingFox", package: "FlyingFox",
                    condition: .when(traits: ["Inspector"])),
            ]),
        .target(
            name: "ScrollbackKilledScenarios",
            dependencies: ["Collections", "Models", "Store", "Sync", "EmbeddedServer"],
            path: "Tests/KilledScenarios"
        ),
        .target(name: "CScrollbackDiskSteps", path: "Tests/CDiskSteps"),
        // No test depends on it: what replaces calls of the C library belongs into this program
        // alone.
        .executableTarget(
            name: "ScrollbackKilledProcess",
            dependencies: ["ScrollbackKilledScenarios", "CScrollbackDiskSteps"],
            path: "Tests/KilledProcess"
        ),
        .executableTarget(
            name: "ScrollbackListPrinter",
            dependencies: ["Collections", "Models", "Store", "Sync", "EmbeddedServer"],
            path: "Tests/ListPrinter"
        ),
        .testTarget(
            name: "REPLTests",
            dependencies: [
                "ScrollbackREPL", "ScrollbackPrompt", "Scrollback", "EmbeddedServer",
                "ScrollbackTesting", "ScrollbackTestSupport", "ScrollbackStorySupport",
            ],
            exclude: ["Transcripts"]),

        .testTarget(
            name: "PublicAPITests",
            dependencies: [
                "Scrollback", "Models", "Store", "Sync", "Collections", "EmbeddedServer",
                "ScrollbackTesting", "ScrollbackTestSupport",
            ]),

        // What `make faults` and `make soak` run.
        .executableTarget(
            name: "ScrollbackReliability",
            dependencies: [
                "Collections", "Sync", "Models", "Store", "EmbeddedServer", "ScrollbackTesting",
                "ScrollbackFaultyDisks", "ScrollbackTestSupport",
            ],
            path: "Tests/Reliability"
        ),
        .testTarget(
            name: "ReliabilityTests",
            dependencies: ["ScrollbackReliability", "ScrollbackTestSupport"]),

        // MARK: Fuzz targets

        .target(
            name: "ScrollbackFuzzTargets",
            dependencies: [
                "Models", "Store", "Sync", "EmbeddedServer", "ScrollbackREPL",
                "ScrollbackTestSupport",
                "CScrollbackLevelDB",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Tests/Fuzz/Targets"
        ),
        // libFuzzer brings its main.
        .executableTarget(
            name: "ScrollbackFuzzer", dependencies: ["ScrollbackFuzzTargets"],
            path: "Tests/Fuzz/Fuzzer"),
        .testTarget(
            name: "FuzzTests", dependencies: ["ScrollbackFuzzTargets"], path: "Tests/Fuzz/Tests"),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}

// `make simulation` and `make figures-matrix` build the tests of one target only.
if let name = Context.environment["TEST_TARGET"] {
    package.targets.removeAll { $0.type == .test && $0.name != name }
}

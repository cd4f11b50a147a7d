// swift-tools-version: 6.2

import PackageDescription

// The code that all benchmarks share. It is a separate package, so that CI can count the costs of
// store operations without fetching the libraries with which Scrollback is compared.
let package = Package(
    name: "Measuring",
    platforms: [.macOS(.v14)],
    products: [
        .library(name: "Measuring", targets: ["Measuring", "CAllocations"]),
        .executable(name: "figures", targets: ["Figures"]),
    ],
    dependencies: [
        .package(path: "../../Tests/Scrollback")
    ],
    targets: [
        // Counts the calls of malloc.
        .target(name: "CAllocations"),
        // Counts the calls of LevelDB and LevelDB's calls of the system.
        .target(
            name: "CStoreCalls",
            linkerSettings: [.linkedLibrary("leveldb", .when(platforms: [.linux]))]
        ),

        .target(
            name: "Measuring",
            dependencies: [
                "CAllocations",
                .product(name: "Models", package: "Scrollback"),
            ]
        ),

        .executableTarget(
            name: "Figures",
            dependencies: [
                "CAllocations", "CStoreCalls", "Measuring",
                .product(name: "Models", package: "Scrollback"),
                .product(name: "Store", package: "Scrollback"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "MyBackend",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [.library(name: "MyBackend", targets: ["MyBackend"])],
    dependencies: [
        .package(path: "../../Scrollback")  // or: url: "…", branch: "main"
    ],
    targets: [
        .target(
            name: "MyBackend",
            dependencies: [
                .product(name: "Models", package: "Scrollback"),
                .product(name: "Sync", package: "Scrollback"),
            ]
        ),
        .testTarget(
            name: "MyBackendTests",
            dependencies: [
                "MyBackend", .product(name: "ScrollbackTesting", package: "Scrollback"),
            ]
        ),
    ]
)

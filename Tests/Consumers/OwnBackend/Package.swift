// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "OwnBackend",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(path: "../../Scrollback")
    ],
    targets: [
        .executableTarget(
            name: "OwnBackend",
            dependencies: [
                .product(name: "ScrollbackTesting", package: "Scrollback"),
                .product(name: "Models", package: "Scrollback"),
                .product(name: "Sync", package: "Scrollback"),
            ],
            path: ""
        )
    ]
)

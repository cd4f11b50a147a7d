// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Plain",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(path: "../../Scrollback")
    ],
    targets: [
        .executableTarget(
            name: "Plain",
            dependencies: [
                .product(name: "Scrollback", package: "Scrollback"),
                .product(name: "Models", package: "Scrollback"),
                .product(name: "Store", package: "Scrollback"),
                .product(name: "Sync", package: "Scrollback"),
                .product(name: "Collections", package: "Scrollback"),
            ],
            path: ""
        )
    ]
)

// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "ModelsWithSwiftCollections",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(path: "../../Scrollback"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
    ],
    targets: [
        .executableTarget(
            name: "ModelsWithSwiftCollections",
            dependencies: [
                .product(name: "Models", package: "Scrollback"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            path: ""
        )
    ]
)

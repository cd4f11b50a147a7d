// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "WithSwiftCollections",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(path: "../../Scrollback"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
    ],
    targets: [
        .executableTarget(
            name: "WithSwiftCollections",
            dependencies: [
                .product(name: "Scrollback", package: "Scrollback"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            path: ""
        )
    ]
)

// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "WithAppleCollections",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(path: "../../Scrollback"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
    ],
    targets: [
        .executableTarget(
            name: "WithAppleCollections",
            dependencies: [
                .product(name: "Scrollback", package: "Scrollback"),
                .product(name: "Collections", package: "swift-collections"),
            ],
            path: ""
        )
    ]
)

// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "OnlyCollections",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(path: "../../Scrollback")
    ],
    targets: [
        .executableTarget(
            name: "OnlyCollections",
            dependencies: [
                .product(name: "Collections", package: "Scrollback")
            ],
            path: ""
        )
    ]
)

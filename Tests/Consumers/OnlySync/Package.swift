// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "OnlySync",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(path: "../../Scrollback")
    ],
    targets: [
        .executableTarget(
            name: "OnlySync",
            dependencies: [
                .product(name: "Sync", package: "Scrollback")
            ],
            path: ""
        )
    ]
)

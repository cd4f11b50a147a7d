// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "OnlyStore",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(path: "../../Scrollback")
    ],
    targets: [
        .executableTarget(
            name: "OnlyStore",
            dependencies: [
                .product(name: "Store", package: "Scrollback")
            ],
            path: ""
        )
    ]
)

// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "OnlyModels",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(path: "../../Scrollback")
    ],
    targets: [
        .executableTarget(
            name: "OnlyModels",
            dependencies: [
                .product(name: "Models", package: "Scrollback")
            ],
            path: ""
        )
    ]
)

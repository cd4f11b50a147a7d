// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "FirstExample",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(path: "../../Scrollback")
    ],
    targets: [
        .executableTarget(
            name: "FirstExample",
            dependencies: [
                .product(name: "Models", package: "Scrollback"),
                .product(name: "Store", package: "Scrollback"),
            ],
            path: ""
        )
    ]
)

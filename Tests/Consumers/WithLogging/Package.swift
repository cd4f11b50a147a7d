// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "WithLogging",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(path: "../../Scrollback", traits: ["Logging"]),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    ],
    targets: [
        .executableTarget(
            name: "WithLogging",
            dependencies: [
                .product(name: "Scrollback", package: "Scrollback"),
                .product(name: "EmbeddedServer", package: "Scrollback"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: ""
        )
    ]
)

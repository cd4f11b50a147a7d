// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "App",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(path: "../../Scrollback")  // or: url: "…", branch: "main"
    ],
    targets: [
        .executableTarget(
            name: "App",
            dependencies: [
                .product(name: "Scrollback", package: "Scrollback"),
                .product(name: "EmbeddedServer", package: "Scrollback"),  // or your own backend
            ]
        ),
        .testTarget(name: "AppTests", dependencies: ["App"]),
    ]
)

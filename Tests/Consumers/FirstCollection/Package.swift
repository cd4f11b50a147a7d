// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "App",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(path: "../../Scrollback")  // or by the URL of the repository
    ],
    targets: [
        .executableTarget(
            name: "App",
            dependencies: [
                .product(name: "Scrollback", package: "Scrollback"),
                .product(name: "EmbeddedServer", package: "Scrollback"),  // in place of yours
            ]
        ),
        .testTarget(name: "AppTests", dependencies: ["App"]),
    ]
)

// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "WithNIO",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(path: "../../Scrollback"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "WithNIO",
            dependencies: [
                .product(name: "Scrollback", package: "Scrollback"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: ""
        )
    ]
)

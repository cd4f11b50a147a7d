// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "WithInspector",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(path: "../../Scrollback", traits: ["Inspector"])
    ],
    targets: [
        .executableTarget(
            name: "WithInspector",
            dependencies: [
                .product(name: "Scrollback", package: "Scrollback"),
                .product(name: "ScrollbackInspector", package: "Scrollback"),
                .product(name: "EmbeddedServer", package: "Scrollback"),
            ],
            path: ""
        )
    ]
)

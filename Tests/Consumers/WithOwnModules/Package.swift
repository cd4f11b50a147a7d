// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "WithOwnModules",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(path: "../../Scrollback")
    ],
    targets: [
        .target(name: "Models"),
        .target(name: "Store"),
        .target(name: "Sync", dependencies: ["Models"]),
        .target(name: "REPL"),
        .target(name: "Messenger"),
        .executableTarget(
            name: "WithOwnModules",
            dependencies: [
                "Models", "Store", "Sync", "REPL", "Messenger",
                .product(
                    name: "Scrollback",
                    package: "Scrollback",
                    moduleAliases: [
                        "Models": "ScrollbackModels", "Store": "ScrollbackStore",
                        "Sync": "ScrollbackSync",
                    ]
                ),
            ]
        ),
    ]
)

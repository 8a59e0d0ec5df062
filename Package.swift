// swift-tools-version: 6.2
import PackageDescription

// The targets are in dependency order: a module imports only modules above it in this list.
let package = Package(
    name: "kith",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "KithClient", targets: ["KithClient"]),
        .library(name: "KithServer", targets: ["KithServer"]),
        .executable(name: "kith", targets: ["kith"]),
        .executable(name: "kith-example", targets: ["KithExample"]),
    ],
    targets: [
        .systemLibrary(name: "CLinux"),
        // Without pkgConfig: SwiftPM would look for the library whenever an app resolves KithClient, and warn where it is missing.
        .systemLibrary(name: "CLibPQ"),
        .systemLibrary(name: "COpenSSL"),
        .systemLibrary(name: "CCurl"),
        .systemLibrary(name: "CZlib"),
        .systemLibrary(name: "CJansson"),

        .target(name: "CPhoneNumber", linkerSettings: [.linkedLibrary("phonenumber"), .linkedLibrary("protobuf")]),

        .target(name: "Logging"),
        .target(name: "Dates"),
        .target(name: "NetworkAddresses"),
        .target(name: "EventLoop", dependencies: ["CLinux"]),
        .target(name: "Postgres", dependencies: ["EventLoop", "CLibPQ"]),
        .target(name: "ChildProcesses", dependencies: ["CLinux"]),
        .target(name: "LocalPostgres", dependencies: ["Postgres", "ChildProcesses"]),
        .target(name: "HTTP", dependencies: ["Dates", "NetworkAddresses", "EventLoop", "CLinux"]),
        .target(name: "Compression", dependencies: ["CZlib"]),
        .target(name: "Crypto", dependencies: ["COpenSSL", "CJansson"]),
        .target(name: "Contacts", dependencies: ["CPhoneNumber"]),
        .target(
            name: "Delivery",
            dependencies: ["Dates", "NetworkAddresses", "EventLoop", "Crypto", "Contacts", "CCurl"]),
        .target(name: "KithCountries"),
        .target(name: "KithCalls"),
        .target(name: "KithClient", dependencies: ["KithCountries", "KithCalls"]),
        .target(name: "KithServer", dependencies: ["KithCalls"]),
        .executableTarget(name: "KithExample", dependencies: ["KithClient"]),
        .target(name: "JSON", dependencies: ["Contacts", "CJansson"]),
        .target(name: "Texts", dependencies: ["JSON"], exclude: ["Catalogue"], plugins: ["EmbedTree"]),
        .target(name: "Schema", dependencies: ["Postgres", "Crypto", "JSON", "Texts"], plugins: ["EmbedTree"]),
        .target(name: "Problems", dependencies: ["HTTP", "Postgres", "JSON", "Texts"]),
        .target(
            name: "Requests",
            dependencies: ["EventLoop", "HTTP", "Postgres", "NetworkAddresses", "Crypto", "JSON", "Problems"]),
        .target(
            name: "Identity",
            dependencies: [
                "EventLoop", "HTTP", "Postgres", "Crypto", "Delivery", "JSON", "Texts", "Problems", "Requests",
            ]),
        .target(
            name: "LiveEvents",
            dependencies: [
                "Logging", "EventLoop", "HTTP", "Postgres", "NetworkAddresses", "JSON", "Problems", "Requests",
            ]),
        .target(name: "Pages", dependencies: ["HTTP", "Crypto", "Problems", "Texts"]),
        .target(
            name: "Web", dependencies: ["KithCountries", "HTTP", "Crypto", "JSON", "Texts", "Problems", "Pages"],
            exclude: ["Assets"], plugins: ["EmbedTree"]),
        .target(name: "OpenAPI", dependencies: ["HTTP", "JSON", "Problems", "Pages"]),
        .target(name: "ClientSource", dependencies: ["HTTP", "JSON", "Problems", "OpenAPI"]),
        .target(
            name: "API",
            dependencies: [
                "Logging", "NetworkAddresses", "EventLoop", "HTTP", "Postgres", "Compression", "Crypto", "Contacts",
                "Delivery", "JSON", "Texts", "Problems", "Requests", "Identity", "LiveEvents",
                "KithCountries", "Pages", "Web", "OpenAPI",
            ]),
        .target(name: "Worker", dependencies: ["Logging", "EventLoop", "Postgres", "Crypto", "Delivery"]),
        .executableTarget(
            name: "kith",
            dependencies: [
                "Logging", "NetworkAddresses", "EventLoop", "Postgres", "LocalPostgres", "HTTP", "Crypto", "Delivery",
                "Schema", "API", "Worker", "Contacts", "JSON", "Texts",
                // Asked for their versions alone.
                "CLinux", "CLibPQ", "COpenSSL", "CCurl", "CZlib", "CJansson",
            ],
            plugins: ["EmbedCommit"]),

        .executableTarget(name: "EmbedTool"),
        .plugin(
            name: "EmbedCommit", capability: .buildTool(), dependencies: ["EmbedTool"], path: "Sources/EmbedCommit"),
        .plugin(
            name: "EmbedTree", capability: .buildTool(), dependencies: ["EmbedTool"], path: "Sources/EmbedTree"),

        // The servers that deliveries are tested against: Python programs, and the code that starts them.
        .target(name: "Counterparts", dependencies: ["ChildProcesses"], path: "Tests/Counterparts/Starting"),

        // The threads of tests that block.
        .target(name: "TestThreads", path: "Tests/TestThreads"),

        // An app on KithClient, which the tests kill.
        .executableTarget(name: "ClientProcess", dependencies: ["KithClient"], path: "Tests/ClientProcess"),

        .testTarget(
            name: "DocumentationTests",
            dependencies: ["ChildProcesses", "KithClient", "KithServer", "HTTP", "Problems", "TestThreads"]),
        .testTarget(name: "LoggingTests", dependencies: ["Logging"]),
        .testTarget(name: "DatesTests", dependencies: ["Dates"]),
        .testTarget(name: "NetworkAddressesTests", dependencies: ["NetworkAddresses"]),
        .testTarget(name: "EventLoopTests", dependencies: ["EventLoop"]),
        .testTarget(name: "ChildProcessesTests", dependencies: ["ChildProcesses"]),
        .testTarget(name: "PostgresTests", dependencies: ["Postgres", "LocalPostgres", "TestThreads"]),
        .testTarget(name: "HTTPTests", dependencies: ["HTTP", "EventLoop"]),
        .testTarget(name: "CompressionTests", dependencies: ["Compression"]),
        .testTarget(name: "CryptoTests", dependencies: ["Crypto"]),
        .testTarget(name: "ContactsTests", dependencies: ["Contacts"]),
        .testTarget(
            name: "DeliveryTests",
            dependencies: ["Delivery", "NetworkAddresses", "Contacts", "EventLoop", "Crypto", "Counterparts"]),
        .testTarget(name: "KithCallsTests", dependencies: ["KithCalls"]),
        .testTarget(name: "KithClientTests", dependencies: ["KithClient", "KithCountries"]),
        .testTarget(name: "KithServerTests", dependencies: ["KithServer"]),
        .testTarget(
            name: "TextsTests", dependencies: ["Texts", "JSON", "KithClient", "Problems"],
            exclude: ["answers.tsv"]),
        .testTarget(
            name: "ClientSourceTests",
            dependencies: [
                "ChildProcesses", "KithClient", "KithServer", "ClientSource", "JSON", "OpenAPI", "API",
            ]),
        .testTarget(name: "SchemaTests", dependencies: ["Schema", "LocalPostgres", "ChildProcesses", "TestThreads"]),
        .testTarget(name: "JSONTests", dependencies: ["JSON"]),
        .testTarget(name: "ProblemsTests", dependencies: ["Problems", "HTTP", "Postgres", "JSON"]),
        .testTarget(name: "RequestsTests", dependencies: ["Requests", "EventLoop", "Problems"]),
        .testTarget(name: "IdentityTests", dependencies: ["Identity", "Crypto", "JSON", "Requests"]),
        .testTarget(name: "LiveEventsTests", dependencies: ["LiveEvents", "NetworkAddresses", "Problems"]),
        .testTarget(
            name: "APITests",
            dependencies: [
                "API", "NetworkAddresses", "EventLoop", "HTTP", "Postgres", "JSON", "Problems", "Requests", "OpenAPI",
            ]),
        .testTarget(name: "WebTests", dependencies: ["Web", "HTTP", "JSON", "Texts", "Problems", "Pages"]),
        .testTarget(name: "WorkerTests", dependencies: ["Worker", "Schema", "LocalPostgres", "TestThreads"]),
        .testTarget(
            name: "EndToEnd",
            dependencies: [
                "CCurl", "COpenSSL", "KithClient", "KithServer", "Postgres", "ChildProcesses", "LocalPostgres",
                "Crypto", "Delivery",
                "Schema", "Worker", "Counterparts", "Texts", "TestThreads", "kith", "ClientProcess",
            ]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

for target in package.targets where target.type != .system && target.type != .plugin {
    target.swiftSettings = [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
}

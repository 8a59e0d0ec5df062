// swift-tools-version: 6.2
import PackageDescription

// The libraries and their tests without the server, which does not build on a Mac. The workflow for Apple's systems puts it in the place of
// Package.swift. The tests need macOS 15 for Mutex; the libraries themselves are built for macOS 14 and iOS 17 from Package.swift.
let package = Package(
    name: "kith",
    platforms: [.iOS(.v18), .macOS(.v15)],
    products: [
        .library(name: "KithClient", targets: ["KithClient"]), .library(name: "KithServer", targets: ["KithServer"]),
    ],
    targets: [
        .target(name: "KithCountries"),
        .target(name: "KithCalls"),
        .target(name: "KithClient", dependencies: ["KithCountries", "KithCalls"]),
        .target(name: "KithServer", dependencies: ["KithCalls"]),
        .testTarget(name: "KithCallsTests", dependencies: ["KithCalls"]),
        .testTarget(name: "KithClientTests", dependencies: ["KithClient", "KithCountries"]),
        .testTarget(name: "KithServerTests", dependencies: ["KithServer"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
}

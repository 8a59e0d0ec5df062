// swift-tools-version: 6.2
import PackageDescription

// KithClient and its tests without the server, which does not build on a Mac. The workflow for Apple's systems puts it in the place of
// Package.swift. The tests need macOS 15 for Mutex; the library itself is built for macOS 14 and iOS 17 from Package.swift.
let package = Package(
    name: "kith",
    platforms: [.iOS(.v18), .macOS(.v15)],
    products: [.library(name: "KithClient", targets: ["KithClient"])],
    targets: [
        .target(name: "KithCountries"),
        .target(name: "KithClient", dependencies: ["KithCountries"]),
        .testTarget(name: "KithClientTests", dependencies: ["KithClient", "KithCountries"]),
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

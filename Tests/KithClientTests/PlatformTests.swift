import Foundation
import Testing

/// No test runs on an iPhone. These see in the sources what would not compile for iOS 17.
@Suite("The platforms") struct PlatformTests {
    private static let sources: [(name: String, text: String)] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        let files = ["KithCalls", "KithClient", "KithCountries", "KithServer"].flatMap { module in
            FileManager.default.enumerator(at: folder.appending(path: module), includingPropertiesForKeys: nil)?
                .allObjects as? [URL] ?? []
        }
        // The code of the tutorial is an app's.
        return files.filter { $0.pathExtension == "swift" && !$0.pathComponents.contains("KithClient.docc") }
            .map { ($0.lastPathComponent, (try? String(contentsOf: $0, encoding: .utf8)) ?? "") }
    }()

    @Test func `the libraries import only what every platform has, and the rest behind canImport`() {
        #expect(Self.sources.count > 3)
        for (name, text) in Self.sources {
            for line in text.split(separator: "\n") {
                guard
                    let module = line.wholeMatch(
                        of: /\s*(?:@_exported )?(?:(?:public|internal|package|private) )?import (\w+).*/)?.1
                else {
                    continue
                }
                let isEverywhere = ["Foundation", "Observation", "KithCalls", "KithCountries"].contains(module)
                #expect(isEverywhere || text.contains("canImport(\(module))"), "\(name): \(line)")
            }
        }
    }

    /// Mutex and Atomic need iOS 18, and so do the primary associated types of AsyncSequence.
    @Test(arguments: ["Synchronization", "Mutex<", "Atomic<", "AsyncSequence<", "isolated deinit", "Task.immediate"])
    func `the libraries use nothing newer than iOS 17`(name: String) {
        #expect(Self.sources.filter { $0.text.contains(name) }.map(\.name) == [])
    }
}

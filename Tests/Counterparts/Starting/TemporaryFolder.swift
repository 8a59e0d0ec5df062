import Foundation
import Synchronization

/// A folder that goes with the object, and with the tests at the latest: what is kept to their very end is never let go.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "kith-counterpart-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        Self.made.withLock { [url] in _ = $0.insert(url) }
        _ = Self.goesWithTests
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
        Self.made.withLock { [url] in _ = $0.remove(url) }
    }

    private static let made = Mutex<Set<URL>>([])
    private static let goesWithTests: Void = {
        atexit { TemporaryFolder.made.withLock { for url in $0 { try? FileManager.default.removeItem(at: url) } } }
    }()
}

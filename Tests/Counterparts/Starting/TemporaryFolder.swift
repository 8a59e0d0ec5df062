import Foundation
import Synchronization

/// A folder that is deleted with the object, and at the latest when the tests exit: an object that lives until then is
/// never deinitialised.
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

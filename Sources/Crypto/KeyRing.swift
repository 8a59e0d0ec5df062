internal import Foundation
internal import Glibc
internal import Synchronization

/// A list of keys of 32 bytes, at least one. The first one seals. Keys from a file follow its changes: each use checks
/// the file's metadata, which costs a microsecond, and reads the file again only when it has changed.
final class KeyRing: Sendable {
    /// The metadata that tells one state of a file from another.
    private struct Stamp: Equatable {
        let file: UInt64
        let size: Int
        let seconds: Int
        let nanoseconds: Int

        /// The stamp of the file at `path`; nil when there is no such file.
        init?(_ path: String) {
            var facts = stat()
            guard stat(path, &facts) == 0 else { return nil }
            file = UInt64(facts.st_ino)
            size = Int(facts.st_size)
            seconds = facts.st_mtim.tv_sec
            nanoseconds = facts.st_mtim.tv_nsec
        }
    }

    private struct State {
        var keys: [[UInt8]]
        var stamp: Stamp?
    }

    private let path: String?
    private let state: Mutex<State>

    init(_ keys: [[UInt8]]) {
        path = nil
        state = Mutex(State(keys: keys, stamp: nil))
    }

    init(file path: String) throws(CryptoError) {
        self.path = path
        // Take the stamp before the text, so that a change in between is read again.
        let stamp = Stamp(path)
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw .invalidKey("\(path) cannot be read")
        }
        state = Mutex(State(keys: try Self.read(text), stamp: stamp))
    }

    /// The current keys. A file that has become unreadable changes nothing.
    var keys: [[UInt8]] {
        guard let path else { return state.withLock { $0.keys } }
        return state.withLock { state in
            if let stamp = Stamp(path), stamp != state.stamp,
                let text = try? String(contentsOfFile: path, encoding: .utf8), let keys = try? Self.read(text)
            {
                state = State(keys: keys, stamp: stamp)
            }
            return state.keys
        }
    }

    /// Parses keys separated by commas or white space.
    static func read(_ text: String) throws(CryptoError) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        for word in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            if word.count == 64, let key = Hex.decode(String(word)) {
                keys.append(key)
            } else if let data = Data(base64Encoded: String(word)), data.count == 32 {
                keys.append(Array(data))
            } else {
                throw .invalidKey(
                    """
                    the master key must be 64 hexadecimal digits or base64 of 32 bytes (openssl rand -hex 32 makes \
                    one)
                    """
                )
            }
        }
        guard !keys.isEmpty else { throw .invalidKey("the master key is empty (openssl rand -hex 32 makes one)") }
        return keys
    }
}

internal import Foundation
internal import Glibc
internal import Synchronization

/// Keys of 32 bytes, at least one, the first of which seals. Those of a file are the file's of this moment: asking what it is costs a
/// microsecond, and it is read again only when it is another.
final class KeyRing: Sendable {
    /// What tells one state of a file from another.
    private struct Stamp: Equatable {
        let file: UInt64
        let size: Int
        let seconds: Int
        let nanoseconds: Int

        /// That of the file at `path`; nil when there is none.
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
        // Before the text: what changes in between is read again.
        let stamp = Stamp(path)
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw .invalidKey("\(path) cannot be read")
        }
        state = Mutex(State(keys: try Self.read(text), stamp: stamp))
    }

    /// The keys of this moment. A file that has become unreadable changes nothing.
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

    /// The keys that `text` writes, separated by commas or white space.
    static func read(_ text: String) throws(CryptoError) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        for word in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            if word.count == 64, let key = Hex.decode(String(word)) {
                keys.append(key)
            } else if let data = Data(base64Encoded: String(word)), data.count == 32 {
                keys.append(Array(data))
            } else {
                throw .invalidKey(
                    "the master key must be 64 hexadecimal digits or base64 of 32 bytes (openssl rand -hex 32 makes one)"
                )
            }
        }
        guard !keys.isEmpty else { throw .invalidKey("the master key is empty (openssl rand -hex 32 makes one)") }
        return keys
    }
}

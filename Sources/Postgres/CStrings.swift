import Glibc

/// A null-terminated array of C strings, as C functions take lists.
///
/// `@unchecked Sendable`: written in `init` only, and freed when nobody holds it any more.
final class CStrings: @unchecked Sendable {
    private let strings: UnsafeMutablePointer<UnsafePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        strings = .allocate(capacity: count + 1)
        for (index, text) in texts.enumerated() { strings[index] = UnsafePointer(strdup(text)) }
        strings[count] = nil
    }

    deinit {
        for index in 0..<count { free(UnsafeMutablePointer(mutating: strings[index])) }
        strings.deallocate()
    }

    /// Good as long as this object lives.
    var pointer: UnsafePointer<UnsafePointer<CChar>?> { UnsafePointer(strings) }

    /// The first string; good as long as this object lives.
    var first: UnsafePointer<CChar>? { strings[0] }
}

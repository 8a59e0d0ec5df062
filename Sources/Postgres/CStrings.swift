import Glibc

/// A null-terminated array of C strings, as C functions take lists.
///
/// `@unchecked Sendable`: it is written only in `init`, and freed with the last reference.
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

    /// The array. Valid as long as this object lives.
    var pointer: UnsafePointer<UnsafePointer<CChar>?> { UnsafePointer(strings) }

    /// The first string. Valid as long as this object lives.
    var first: UnsafePointer<CChar>? { strings[0] }
}

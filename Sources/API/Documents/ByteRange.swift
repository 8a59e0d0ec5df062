/// The bytes of a content that a `Range` header requests (RFC 9110, section 14.2).
enum ByteRange: Equatable {
    /// No range, or one that is ignored: several ranges, another unit or a syntax error.
    case whole
    case part(Range<Int>)
    /// A range that begins after the end.
    case unsatisfiable

    /// Reads `header` for a content of `size` bytes.
    init(_ header: String?, of size: Int) {
        self = .whole
        guard let header, header.lowercased().hasPrefix("bytes=") else { return }
        let ends = header.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false).map {
            String($0).trimmingBlanks()
        }
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else { return }
        // A number that overflows Int is past every end.
        let numbers = ends.map { $0.isEmpty ? nil : Int($0) ?? .max }
        switch (numbers[0], numbers[1]) {
        case (nil, nil): return
        case (nil, let count?): self = count == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - count)..<size)
        case (let first?, let last):
            if let last, last < first { return }
            self = first >= size ? .unsatisfiable : .part(first..<(min(last ?? .max, size - 1) + 1))
        }
    }
}

extension String {
    fileprivate func trimmingBlanks() -> String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}

/// Decodes the body of a request from the bytes of its connection (RFC 9112 §6.3, §7.1).
struct BodyDecoder {
    /// The most bytes that the chunk extensions of a body, its trailers and superfluous zeros may have together.
    /// Nothing reads them.
    private static let maximumOverhead = 8 << 10

    private enum State {
        case content(remaining: Int)
        case size(Size)
        case chunk(remaining: Int)
        case chunkEnd(hasReturn: Bool)
        case trailer(Trailer)
        case done
    }

    /// The position within the line with a chunk's size.
    private enum Size {
        case beginning, digits, blanks, `extension`, lineFeed
    }

    /// The position within the trailers.
    private enum Trailer {
        case beginning, name, value, lineFeed, lastLineFeed
    }

    private var state: State
    private var chunkSize = 0
    private var overhead = 0

    /// Creates a decoder for a body of `length` bytes; 0 for no body.
    init(length: Int) {
        state = length == 0 ? .done : .content(remaining: length)
    }

    private init(_ state: State) {
        self.state = state
    }

    /// A decoder for a chunked body.
    static let chunked = BodyDecoder(.size(.beginning))

    /// Whether the body is complete.
    var isDone: Bool {
        if case .done = state { true } else { false }
    }

    /// Passes the content in `bytes` to `take`, piece by piece.
    ///
    /// - Returns: The number of bytes that belong to the body: all of them, unless the body ends before.
    /// - Throws: ``HTTPRefusal`` when the chunked coding is malformed.
    mutating func decode(
        _ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Void
    ) throws(HTTPRefusal) -> Int {
        var position = 0
        func content(_ remaining: Int) -> Int {
            let count = min(remaining, bytes.count - position)
            take(UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
            position += count
            return remaining - count
        }
        while position < bytes.count {
            switch state {
            case .content(let remaining):
                let rest = content(remaining)
                state = rest == 0 ? .done : .content(remaining: rest)
            case .chunk(let remaining):
                let rest = content(remaining)
                state = rest == 0 ? .chunkEnd(hasReturn: false) : .chunk(remaining: rest)
            case .size(let size):
                try read(bytes[position], size)
                position += 1
            case .chunkEnd(let hasReturn):
                guard bytes[position] == UInt8(ascii: hasReturn ? "\n" : "\r") else { throw Self.malformed }
                state = hasReturn ? .size(.beginning) : .chunkEnd(hasReturn: true)
                position += 1
            case .trailer(let trailer):
                try read(bytes[position], trailer)
                position += 1
            case .done: return position
            }
        }
        return position
    }

    private static let malformed = HTTPRefusal.malformed(reason: "The chunked body does not follow RFC 9112.")

    private mutating func read(_ byte: UInt8, _ size: Size) throws(HTTPRefusal) {
        switch (size, byte) {
        case (.beginning, _), (.digits, UInt8(ascii: "0")...UInt8(ascii: "9")),
            (.digits, UInt8(ascii: "a")...UInt8(ascii: "f")), (.digits, UInt8(ascii: "A")...UInt8(ascii: "F")):
            guard let digit = PercentEncoding.hexadecimal(byte) else { throw Self.malformed }
            if size == .beginning { chunkSize = 0 } else if chunkSize == 0 { try count() }
            guard chunkSize <= Int.max >> 4 else { throw .bodyTooLarge(limit: .max) }
            chunkSize = chunkSize << 4 | Int(digit)
            state = .size(.digits)
        case (.digits, UInt8(ascii: "\r")), (.extension, UInt8(ascii: "\r")):
            state = .size(.lineFeed)
        case (.digits, UInt8(ascii: ";")), (.blanks, UInt8(ascii: ";")):
            state = .size(.extension)
        case (.digits, UInt8(ascii: " ")), (.digits, UInt8(ascii: "\t")), (.blanks, UInt8(ascii: " ")),
            (.blanks, UInt8(ascii: "\t")):
            // White space may come only before a semicolon (RFC 9112 §7.1.1).
            try count()
            state = .size(.blanks)
        case (.extension, _) where HTTPHeaders.isValueByte(byte):
            try count()
        case (.lineFeed, UInt8(ascii: "\n")):
            state = chunkSize == 0 ? .trailer(.beginning) : .chunk(remaining: chunkSize)
        default: throw Self.malformed
        }
    }

    private mutating func read(_ byte: UInt8, _ trailer: Trailer) throws(HTTPRefusal) {
        try count()
        switch (trailer, byte) {
        case (.beginning, UInt8(ascii: "\r")): state = .trailer(.lastLineFeed)
        case (.beginning, _) where HTTPHeaders.isTokenByte(byte): state = .trailer(.name)
        case (.name, UInt8(ascii: ":")): state = .trailer(.value)
        case (.name, _) where HTTPHeaders.isTokenByte(byte): break
        case (.value, UInt8(ascii: "\r")): state = .trailer(.lineFeed)
        case (.value, _) where HTTPHeaders.isValueByte(byte): break
        case (.lineFeed, UInt8(ascii: "\n")): state = .trailer(.beginning)
        case (.lastLineFeed, UInt8(ascii: "\n")): state = .done
        default: throw Self.malformed
        }
    }

    /// Counts a byte that carries no content.
    private mutating func count() throws(HTTPRefusal) {
        overhead += 1
        guard overhead <= Self.maximumOverhead else {
            throw .malformed(reason: "The chunks' extensions and trailers are too long.")
        }
    }
}

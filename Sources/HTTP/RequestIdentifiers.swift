/// Generates the ids of requests that come without one.
///
/// The ids must be distinct, not secret. They are a counter with a random start, scrambled by a bijection (the
/// finalizer of SplitMix64), so that no two ids of a server are equal. A random number for each would cost a system
/// call for each.
struct RequestIdentifiers {
    private var counter = UInt64.random(in: .min ... .max)

    /// Returns 16 hexadecimal digits that were not returned before.
    mutating func next() -> String {
        counter &+= 0x9E37_79B9_7F4A_7C15
        var value = counter
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        value ^= value >> 31
        return String(unsafeUninitializedCapacity: 16) { digits in
            for index in 0..<16 {
                let digit = UInt8(truncatingIfNeeded: value >> 60)
                digits[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                value <<= 4
            }
            return 16
        }
    }

    /// Whether an id from a client may appear in our logs.
    static func isAcceptable(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

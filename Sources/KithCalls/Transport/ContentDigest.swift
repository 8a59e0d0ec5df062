package import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#endif

/// The SHA-256 digest of what arrives piece by piece (FIPS 180-4). CryptoKit computes it where it exists. Foundation on
/// Linux has none, and this library needs nothing else.
package struct ContentDigest: Sendable {
    #if canImport(CryptoKit)
        private var hash = CryptoKit.SHA256()

        package mutating func update(_ bytes: Data) { hash.update(data: bytes) }

        /// The digest of what has arrived.
        package func bytes() -> [UInt8] { Array(hash.finalize()) }
    #else
        private static let constants: [UInt32] = [
            0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
            0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
            0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
            0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
            0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
            0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
            0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
            0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
        ]
        private var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]
        /// The bytes of an incomplete block.
        private var rest: [UInt8] = []
        private var length: UInt64 = 0

        package mutating func update(_ bytes: Data) {
            length += UInt64(bytes.count)
            rest.append(contentsOf: bytes)
            process()
        }

        /// The digest of what has arrived.
        package func bytes() -> [UInt8] {
            var last = self
            last.rest.append(0x80)
            while last.rest.count % 64 != 56 { last.rest.append(0) }
            withUnsafeBytes(of: (length * 8).bigEndian) { last.rest.append(contentsOf: $0) }
            last.process()
            return last.state.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
        }

        /// Processes all complete blocks of ``rest``.
        private mutating func process() {
            let blocks = rest.count / 64
            guard blocks > 0 else { return }
            rest.withUnsafeBytes { bytes in
                Self.constants.withUnsafeBufferPointer { constants in
                    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
                        for block in 0..<blocks { mix(bytes, at: block * 64, words, constants) }
                    }
                }
            }
            rest.removeFirst(blocks * 64)
        }

        private mutating func mix(
            _ bytes: UnsafeRawBufferPointer, at start: Int, _ words: UnsafeMutableBufferPointer<UInt32>,
            _ constants: UnsafeBufferPointer<UInt32>
        ) {
            func turned(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
            for n in 0..<16 {
                words[n] = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: start + n * 4, as: UInt32.self))
            }
            for n in 16..<64 {
                let (early, late) = (words[n - 15], words[n - 2])
                let first = turned(early, 7) ^ turned(early, 18) ^ early >> 3
                let second = turned(late, 17) ^ turned(late, 19) ^ late >> 10
                words[n] = words[n - 16] &+ first &+ words[n - 7] &+ second
            }
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            var (e, f, g, h) = (state[4], state[5], state[6], state[7])
            for n in 0..<64 {
                let choice = e & f ^ ~e & g
                let upper = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
                let first = h &+ upper &+ choice &+ constants[n] &+ words[n]
                let majority = a & b ^ a & c ^ b & c
                let second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ majority
                (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
            }
            for (n, word) in [a, b, c, d, e, f, g, h].enumerated() { state[n] &+= word }
        }
    #endif

    /// Creates the digest of nothing.
    package init() {}

    /// The digest of what has arrived, in hexadecimal digits.
    package func finish() -> String { bytes().map(Self.hex).joined() }

    private static func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}

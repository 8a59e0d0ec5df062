/// Ids in the paths of calls. They come from addresses and forms, which anybody can write.
package enum PathID {
    /// Whether `text` is a UUID as the API writes it.
    static func accepts(_ text: String) -> Bool {
        text.utf8.count == 36
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                    UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// `text` in lower case if it is an id; otherwise an id that does not exist.
    package static func of(_ text: String) -> String {
        accepts(text) ? text.lowercased() : "00000000-0000-0000-0000-000000000000"
    }
}

extension FormFields {
    /// The id in a field that the page filled in.
    func id(_ name: String) -> String { PathID.of(self[name]) }
}

internal import Crypto
internal import Foundation
internal import JSON
internal import Problems

/// What a browser keeps of a shift, sealed in its cookie.
struct DeskShift {
    /// The secret key.
    let key: String
    let person: String
    /// In microseconds since 1970.
    let began: Int64
    let ends: Int64

    /// How long a shift lasts, in seconds. The key can end it earlier.
    static let length = 12 * 3600

    /// Begins a shift.
    init(key: String, person: String, at now: Int64) {
        (self.key, self.person, began) = (key, person, now)
        ends = now + Int64(Self.length) * 1_000_000
    }

    /// The shift in a cookie; nil if there is none, or if it is over.
    init?(_ cookie: String?, at now: Int64, _ masterKey: MasterKey) {
        let value = cookie?.split(separator: ".", maxSplits: 1).last.map(String.init)
        guard let sealed = value.flatMap({ Base64URL.decode($0) }),
            let bytes = try? masterKey.open(sealed, for: Self.context),
            let facts = (try? JSONDocument(bytes))?.root,
            let key = facts["key"]?.string, let person = facts["person"]?.string,
            let began = facts["began"]?.integer, let ends = facts["ends"]?.integer, Int64(ends) > now
        else { return nil }
        (self.key, self.person, self.began, self.ends) = (key, person, Int64(began), Int64(ends))
    }

    /// The secret of the shift, to which the forms of its pages are bound.
    var secret: String { Hex.encode(sha256("\(key)\n\(person)\n\(began)".utf8)) }

    func sealed(_ masterKey: MasterKey) throws(Problem) -> String {
        var json = JSONWriter()
        json.object { json in
            json.field("key", key)
            json.field("person", person)
            json.field("began", Int(began))
            json.field("ends", Int(ends))
        }
        do throws(CryptoError) {
            return Base64URL.encode(try masterKey.seal(json.bytes, for: Self.context))
        } catch {
            throw Problem(fault: "\(error)")
        }
    }

    private static let context = "desk"
}

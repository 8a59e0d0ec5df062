import Foundation

extension UUID {
    /// The lower-case form that the API and the database write.
    var text: String { uuidString.lowercased() }

    /// Its 32 hexadecimal digits, which could be the token of a phone.
    var digits: String { text.replacing("-", with: "") }
}

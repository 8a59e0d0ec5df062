import Foundation

extension UUID {
    /// The lower-case form that the API and the database write.
    var text: String { uuidString.lowercased() }
}

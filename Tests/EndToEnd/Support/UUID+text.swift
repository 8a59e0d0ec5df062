import Foundation

extension UUID {
    /// As the API and the database write it.
    var text: String { uuidString.lowercased() }
}

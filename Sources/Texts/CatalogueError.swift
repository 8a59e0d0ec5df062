/// Why a text, or a file of texts, cannot be used.
package struct CatalogueError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key of the text; nil if the error concerns the language or the whole file.
    package var key: String?
    /// The reason, worded for the author of the text.
    package let reason: String

    init(_ reason: String, key: String? = nil) {
        self.key = key
        self.reason = reason
    }

    /// The key and the reason.
    package var description: String { key.map { "\($0): \(reason)" } ?? reason }
}

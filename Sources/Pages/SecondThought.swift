/// Tells a second thought from the second tap of a double tap, on a page that asks before an alarm ends (K13). It works
/// without scripts: the form says when its page asked, and the server asks again if the answer came too soon for
/// anybody to have read it.
package enum SecondThought {
    /// The field of the form with the moment at which its page asked, in microseconds since 1970.
    package static let field = "asked"
    /// The shortest time in which somebody reads the question, in microseconds.
    private static let shortest: Int64 = 1_500_000

    /// When the page of a form asked; nil if the form comes from a page that asks nothing, or too soon after it.
    package static func asked(_ field: String?, at now: Int64) -> Int64? {
        guard let asked = field.flatMap(Int64.init), asked > 0, asked <= now - shortest else { return nil }
        return asked
    }
}

package import KithCountries
package import Pages
package import Texts

extension EmergencyNumber {
    private static var usual: String { of(country: nil) }

    /// The first words of a page in place of one that calls for help, where nothing is known of its reader.
    package static func first(_ texts: Texts) -> HTML {
        "<p class=\"notice\" role=\"alert\">\(texts("web.offline.help"))</p>\n\(call(usual, texts))"
    }

    /// The first words of such a page to somebody who has called for help in vain, with the number of their country;
    /// nil if nothing is known of them.
    package static func notTold(_ texts: Texts, number: String?) -> HTML {
        "<p class=\"notice\" role=\"alert\">\(texts("web.help.unsent"))</p>\n\(call(number ?? usual, texts))"
    }

    /// The link that calls a number.
    package static func call(_ number: String, _ texts: Texts, _ kind: String = "button destructive") -> HTML {
        "<p><a class=\"\(kind)\" href=\"tel:\(number)\">\(texts("web.help.call", ["number": .words(number)]))</a></p>\n"
    }

    /// The link that calls that of the visitor.
    static func link(_ visit: Visit) -> HTML { call(visit.emergencyNumber, visit.words.texts) }
}

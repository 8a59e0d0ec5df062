/// A piece of HTML. Interpolated strings are escaped; interpolated HTML is not. A name such as `<b>` therefore has no effect.
struct HTML: ExpressibleByStringInterpolation, Sendable {
    private(set) var text: String

    init(stringLiteral text: String) {
        self.text = text
    }

    init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    static func += (html: inout HTML, more: HTML) {
        html.text += more.text
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity * 2)
        }

        mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        /// Escapes `value` for an element's text or a quoted attribute value.
        mutating func appendInterpolation(_ value: String) {
            for character in value.unicodeScalars {
                switch character {
                case "&": text += "&amp;"
                case "<": text += "&lt;"
                case ">": text += "&gt;"
                case "\"": text += "&quot;"
                case "'": text += "&#39;"
                default: text.unicodeScalars.append(character)
                }
            }
        }

        /// Escapes a name and isolates its text direction, so that a right-to-left name does not reorder the text around it.
        mutating func appendInterpolation(name: String) {
            text += "<bdi>"
            appendInterpolation(name)
            text += "</bdi>"
        }

        mutating func appendInterpolation(_ html: HTML) {
            text += html.text
        }
    }
}

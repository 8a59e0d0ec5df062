/// A piece of HTML. What is interpolated into it is escaped, unless it is HTML itself: a name can say `<b>`, and nothing follows.
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

        /// Good in the text of an element, and within quotation marks as the value of an attribute.
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

        /// What people are called, or call something: whichever way it is written, it turns nothing round but itself.
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

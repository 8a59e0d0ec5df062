/// A piece of HTML. Interpolated strings are escaped; interpolated HTML is not. A name such as `<b>` therefore has no
/// effect.
package struct HTML: ExpressibleByStringInterpolation, Sendable {
    package private(set) var text: String

    package init(stringLiteral text: String) {
        self.text = text
    }

    package init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    package static func += (html: inout HTML, more: HTML) {
        html.text += more.text
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity * 2)
        }

        package mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        /// Escapes `value` for an element's text or a quoted attribute value.
        package mutating func appendInterpolation(_ value: String) {
            // Most values have nothing to escape.
            guard value.utf8.contains(where: Self.isEscaped) else {
                text += value
                return
            }
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

        private static func isEscaped(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): true
            default: false
            }
        }

        /// Escapes a name and isolates its text direction, so that a right-to-left name does not reorder the text
        /// around it.
        package mutating func appendInterpolation(name: String) {
            text += "<bdi>"
            appendInterpolation(name)
            text += "</bdi>"
        }

        package mutating func appendInterpolation(_ html: HTML) {
            text += html.text
        }
    }
}

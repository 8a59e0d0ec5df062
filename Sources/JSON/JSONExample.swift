/// A value in examples, for members whose schema alone would give a poor one.
package enum JSONExample: Sendable {
    case text(String)
    case number(Int)
    case truth(Bool)
    case null
    /// JSON text.
    case json(String)
    /// The example omits the member, because it belongs to other cases.
    case leftOut
}

extension JSONExample: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    package init(stringLiteral text: String) { self = .text(text) }
    package init(integerLiteral number: Int) { self = .number(number) }
    package init(booleanLiteral truth: Bool) { self = .truth(truth) }
}

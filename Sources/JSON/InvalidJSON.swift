/// A text that is not JSON, or exceeds a limit.
package struct InvalidJSON: Error, Equatable {
    /// The fault without its place, worded to follow the name of what was read: "is not valid JSON".
    package let fault: String
    /// The line and column of the fault, counted from 1; nil for a limit of the whole text.
    package let place: (line: Int, column: Int)?
    /// Whether the text is JSON, with a number that is out of range.
    package let isOutOfRange: Bool

    init(_ fault: String, at place: (line: Int, column: Int)? = nil, isOutOfRange: Bool = false) {
        self.fault = fault
        self.place = place
        self.isOutOfRange = isOutOfRange
    }

    /// The fault with its place: "is not valid JSON (line 1, column 3)".
    package var reason: String {
        place.map { "\(fault) (line \($0.line), column \($0.column))" } ?? fault
    }

    /// The fault in a text of one line, whose number is known otherwise.
    package var reasonInLine: String {
        place.map { "\(fault) (column \($0.column))" } ?? fault
    }

    package static func == (one: InvalidJSON, other: InvalidJSON) -> Bool {
        one.reason == other.reason && one.isOutOfRange == other.isOutOfRange
    }
}

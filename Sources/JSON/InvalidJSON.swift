/// A text that is not JSON, or exceeds a limit.
package struct InvalidJSON: Error, Equatable {
    /// The fault, worded to follow the name of what was read: "is not valid JSON (line 1, column 3)".
    package let reason: String
}

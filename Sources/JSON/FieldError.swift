/// An invalid field, and what a valid value would be.
package struct FieldError: Error, Sendable, Equatable {
    /// The field's path, such as `recipients[2].phone`; empty for the value as a whole.
    package let field: String
    /// The requirement, worded to follow the field's name.
    package let message: String

    package init(field: String, message: String) {
        self.field = field
        self.message = message
    }
}

/// The errors in a channel's settings, by field.
public struct ChannelSettingsError: Error, Sendable, CustomStringConvertible {
    /// The error of one field. The field is empty when the error concerns the settings as a whole.
    public struct FieldError: Sendable, Equatable {
        /// The name of the member.
        public let field: String
        /// The message for a person. It follows the field's name.
        public let message: String

        /// Creates a field's error.
        public init(field: String, message: String) {
            self.field = field
            self.message = message
        }
    }

    /// The errors, at least one.
    public let errors: [FieldError]

    /// Creates an error from the errors of fields.
    public init(_ errors: [FieldError]) {
        self.errors = errors
    }

    /// All errors on one line.
    public var description: String {
        errors.map { $0.field.isEmpty ? "the settings \($0.message)" : "\($0.field) \($0.message)" }.joined(
            separator: "; ")
    }
}

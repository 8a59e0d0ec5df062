/// What is wrong with the settings of a channel, field by field.
public struct ChannelSettingsError: Error, Sendable, CustomStringConvertible {
    /// One field, and what it must be. The field of the whole is empty.
    public struct FieldError: Sendable, Equatable {
        /// The member's name.
        public let field: String
        /// What a person reads behind it.
        public let message: String

        /// A field's error.
        public init(field: String, message: String) {
            self.field = field
            self.message = message
        }
    }

    /// At least one.
    public let errors: [FieldError]

    /// The errors of some fields.
    public init(_ errors: [FieldError]) {
        self.errors = errors
    }

    /// All of it on one line.
    public var description: String {
        errors.map { $0.field.isEmpty ? "the settings \($0.message)" : "\($0.field) \($0.message)" }.joined(
            separator: "; ")
    }
}

package import JSON
package import Problems

/// A phone number or an e-mail address from the body of a request.
package struct Contact {
    /// The delivery channel of its codes: `sms` or `email`.
    package let channel: String
    package let address: String

    /// Reads the contact of a validated body.
    ///
    /// - Throws: ``Problem`` `validation_failed` if the body has both or neither.
    package init(_ body: JSONDocument?) throws(Problem) {
        switch (body?.root["phone"]?.string, body?.root["email"]?.string) {
        case (let phone?, nil): self.init(channel: "sms", address: phone)
        case (nil, let email?): self.init(channel: "email", address: email)
        case (nil, nil): throw .invalid("phone", "or email is required")
        case (_?, _?): throw .invalid("email", "must not be given together with phone")
        }
    }

    package init(channel: String, address: String) {
        self.channel = channel
        self.address = address
    }
}

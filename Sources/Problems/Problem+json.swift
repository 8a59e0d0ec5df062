package import JSON

extension Problem {
    /// The problem for a body that is not JSON, or exceeds a limit.
    package init(_ body: InvalidJSON) {
        self.init(body, "The body \(body.reason).")
    }

    /// The problem for a line of a body that is not JSON, or exceeds a limit.
    package init(_ text: InvalidJSON, line: Int) {
        self.init(text, "Line \(line) \(text.reasonInLine).")
    }

    private init(_ text: InvalidJSON, _ detail: String) {
        if text.isOutOfRange {
            self.init(.validationFailed, detail, errors: [FieldError(field: "", message: text.reason)])
        } else {
            self.init(.invalidRequest, detail)
        }
    }
}

extension JSONDocument {
    /// Parses what the database answered.
    ///
    /// - Throws: ``Problem`` `internal` if it is not JSON.
    package convenience init(answer: [UInt8]) throws(Problem) {
        do throws(InvalidJSON) {
            try self.init(answer)
        } catch {
            throw Problem(fault: "the database's answer \(error.reason)")
        }
    }
}

package import JSON

extension Problem {
    /// The problem for a body that is not JSON, or exceeds a limit.
    package init(_ body: InvalidJSON) {
        self.init(.invalidRequest, "The body \(body.reason).")
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

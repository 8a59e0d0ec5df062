internal import Postgres

extension Problem {
    /// What a refusal or failure of the database means to the client. This is the one table from SQLSTATE to a problem.
    init(_ error: PostgresError) {
        switch error {
        case .unavailable, .timedOut: self.init(.unavailable)
        case .invalidConfiguration: self.init(fault: "\(error)")
        case .server(let error): self.init(refusal: error)
        }
    }

    private init(refusal error: PostgresServerError) {
        switch error.sqlState {
        case let state where state.isInClass("KT"):
            // Ours: the message is the code, the detail what a person reads.
            let code = ProblemCode(rawValue: error.message)
            if code == .validationFailed {
                self.init(code, errors: Self.fieldErrors(error.detail))
            } else {
                // Of too_many_requests the hint is the seconds to wait.
                self.init(
                    code, error.detail, retryAfter: code == .tooManyRequests ? error.hint.flatMap { Int($0) } : nil)
            }
        case .statementTooComplex:
            self.init(.invalidRequest, "The request holds a value that cannot be stored.")
        case let state where state.isInClass("22"):
            self.init(.invalidRequest, "The request holds a value that cannot be stored.")
        case .checkViolation:
            self.init(
                .validationFailed,
                errors: [FieldError(field: "", message: "violates \(error.constraint ?? "a constraint")")])
        case .uniqueViolation: self.init(.conflict)
        // PostgreSQL's own log leaves these out for the API's sessions, so ours has them.
        case .lockNotAvailable, .queryCancelled, .serializationFailure, .deadlockDetected:
            self.init(unavailable: "\(PostgresError.server(error))")
        case let state where state.isInClass("53") || state.isInClass("57"):
            self.init(unavailable: "\(PostgresError.server(error))")
        default: self.init(fault: "\(PostgresError.server(error))")
        }
    }

    private static func fieldErrors(_ detail: String?) -> [FieldError] {
        guard let detail, let document = try? JSONDocument(Array(detail.utf8)) else { return [] }
        return document.root.elements.compactMap { element in
            guard let field = element["field"]?.string, let message = element["message"]?.string else { return nil }
            return FieldError(field: field, message: message)
        }
    }
}

internal import JSON
package import Postgres

extension Problem {
    /// The problem for a refusal or failure of the database. This is the only table from SQLSTATE to problem code.
    package init(_ error: PostgresError) {
        switch error {
        case .unavailable, .timedOut: self.init(.unavailable)
        case .invalidConfiguration: self.init(fault: "\(error)")
        case .server(let refusal): self.init(refusal: refusal)
        }
        isOfReplacedObject = error.isOfReplacedObject
        isOfMovingTenant = error.sqlState?.rawValue == "KT503"
    }

    private init(refusal error: PostgresServerError) {
        switch error.sqlState {
        case let state where state.isInClass("KT"):
            // Kith's own errors: the message is the problem code, the detail is the text for a person.
            let code = ProblemCode(rawValue: error.message)
            if code == .validationFailed {
                self.init(code, errors: Self.fieldErrors(error.detail))
            } else {
                // For too_many_requests, the hint has the seconds to wait.
                self.init(
                    code, error.detail, retryAfter: code == .tooManyRequests ? error.hint.flatMap { Int($0) } : nil)
                // For vault_locked, the hint has the instant at which emergency access begins.
                if code == .vaultLocked { grantsAt = error.hint }
            }
        case .statementTooComplex:
            self.init(.invalidRequest, "The request holds a value that cannot be stored.")
        case let state where state.isInClass("22"):
            self.init(.invalidRequest, "The request holds a value that cannot be stored.")
        case .checkViolation where error.isOfNewPartition: self.init(unavailable: "\(PostgresError.server(error))")
        case .checkViolation:
            self.init(
                .validationFailed,
                errors: [FieldError(field: "", message: "violates \(error.constraint ?? "a constraint")")])
        case .uniqueViolation: self.init(.conflict)
        // PostgreSQL does not log these for the API's sessions, so the server does.
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

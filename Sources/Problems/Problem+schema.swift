internal import HTTP
package import JSON

/// The shape of a problem document, as the OpenAPI document describes it.
extension JSONComponent {
    /// A problem document. Its example is `not_found`.
    package static let problem: JSONComponent = {
        let code = ProblemCode.notFound
        return JSONComponent(
            name: "Problem",
            schema: .object([
                .init("type", .string(.line), required: true, example: .text(code.type)),
                .init("title", .string(.line), required: true, example: .text(code.entry.title)),
                .init("status", .integer(400...599), required: true, example: .number(code.entry.status.rawValue)),
                .init(
                    "code", .component(.problemCode), required: true, "Stable. Clients decide by it.",
                    example: .text(code.rawValue)),
                .init(
                    "detail", .string(.line, length: 1...500), required: true, "Text for a person to read.",
                    example: .text(code.entry.detail)),
                .init("retryable", .boolean, required: true, "Whether trying again can help."),
                .init("request_id", .string(.line), required: true, example: .text(Problem.exampleRequestID)),
                .init(
                    "grants_at", .string(.instant),
                    "When emergency access to the vault begins. Only in the answer to entering it too early.",
                    example: .leftOut),
                .init(
                    "taken_by", .component(.alarmTaker), "Who has taken the alarm. Only with alarm_taken.",
                    example: .leftOut),
                .init(
                    "taken_at", .string(.instant), "When they took it. Only with alarm_taken.", example: .leftOut),
                .init(
                    "errors", .array(of: .component(.fieldError), count: 0...10_000), "Every invalid field.",
                    example: .leftOut),
            ]))
    }()

    private static let alarmTaker = JSONComponent(
        name: "AlarmTaker",
        schema: .object([
            .init(
                "id", .nullable(.string(.uuid)), required: true, "Null for somebody whom the caller does not know."),
            .init("display_name", .string(.line, length: 1...200), required: true, example: .text("Bob")),
        ]))

    private static let problemCode = JSONComponent(
        name: "ProblemCode", schema: .oneOf(ProblemCode.all.map(\.rawValue)))

    private static let fieldError = JSONComponent(
        name: "FieldError",
        schema: .object([
            .init(
                "field", .string(.anything), required: true, "Empty if the problem concerns more than one field.",
                example: "time_zone"),
            .init("message", .string(.line, length: 1...2000), required: true, example: "must be a string"),
        ]))
}

extension Problem {
    /// The id in the examples of problem documents.
    package static let exampleRequestID = "5f2c9a1e07b34d68"

    /// The problem with that code that the documentation shows.
    package static func example(of code: ProblemCode) -> Problem {
        code == .validationFailed ? .invalid("time_zone", "must be a string") : Problem(code)
    }
}

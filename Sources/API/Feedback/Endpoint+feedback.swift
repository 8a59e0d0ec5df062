internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// What users think, for the tenant and the operator.
    static let feedback: [Endpoint] = [
        Endpoint(
            operationID: "giveFeedback", method: .post, path: "/v1/feedback", caller: .user,
            work: .procedure(.write("api.give_feedback", .body, .now)),
            summary: "Give feedback", details: "The tenant and the operator can read it.", area: "Feedback",
            bound: "20 times per user per UTC day.",
            body: .object([
                .init("topic", .component(.feedbackTopic), required: true, "The subject of the feedback."),
                .init("rating", JSONComponent.rating, required: true, "From 1, bad, to 5, good.", example: 5),
                .init("text", .nullable(.string(.text, length: 1...2000))),
            ]),
            success: .noContent, repeatRight: .sight),
        Endpoint(
            operationID: "listFeedback", method: .get, path: "/v1/feedback", caller: .key(scope: .read),
            work: .procedure(.read("api.list_feedback", .limit, .cursor(.uuid))),
            summary: "List the feedback of all users, newest first", area: "Feedback",
            answer: .list(of: .feedback)),
    ]
}

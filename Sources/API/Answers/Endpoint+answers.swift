internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// The ways to answer without an app: the page of a link, a text message, and the keys of a phone.
    static let answers: [Endpoint] = [
        Endpoint(
            operationID: "getCheckInPage", method: .get, path: "/c/{token}", caller: .open,
            work: .resource(CheckInLinkPages.show, parameters: LinkVisit.parameters),
            summary: "Show the page of a check-in link",
            details:
                """
                The link is in the text message or e-mail that a ping is due, and in reminders. The page has the \
                person's first name and two buttons. Showing it changes nothing. A link ends when the next day's \
                ping comes.
                """,
            area: "Pages", answer: .string(.text, length: 0...100_000), answerType: .html,
            problems: [.notFound], worksWhileSuspended: true, urgency: .safety),
        Endpoint(
            operationID: "submitCheckInForm", method: .post, path: "/c/{token}", caller: .open,
            work: .resource(CheckInLinkPages.submit, parameters: LinkVisit.parameters),
            summary: "Submit the form of a check-in link's page",
            details: "The form checks in, or calls for help. It needs the token that the page has.",
            area: "Pages", bound: "A check-in has its own bound.", body: CheckInLinkPages.fields, bodyType: .form,
            maximumBody: LinkVisit.maximumBody, answer: .string(.text, length: 0...100_000), answerType: .html,
            problems: [.notFound, .forbidden], worksWhileSuspended: true, urgency: .safety),
        Endpoint(
            operationID: "getAlarmPage", method: .get, path: "/a/{token}", caller: .open,
            work: .resource(AlarmLinkPages.show, parameters: LinkVisit.parameters),
            summary: "Show the page of a link about an alarm",
            details:
                """
                The link is in text messages and e-mails that tell a receiver of an alarm. The page has the sender's \
                first name, who looks after it, and two buttons. Showing it changes nothing. A link is good while \
                the alarm is not resolved and the receiver has a part in it.
                """,
            area: "Pages", answer: .string(.text, length: 0...100_000), answerType: .html,
            problems: [.notFound], worksWhileSuspended: true, urgency: .safety),
        Endpoint(
            operationID: "submitAlarmForm", method: .post, path: "/a/{token}", caller: .open,
            work: .resource(AlarmLinkPages.submit, parameters: LinkVisit.parameters),
            summary: "Submit the form of the page of a link about an alarm",
            details:
                """
                The form takes the alarm, or ends it as safe. It needs the token that the page has. The answer is 409, \
                with the page as it is now, if the sender has called for help since.
                """,
            area: "Pages", bound: "50 notes per alarm that its taker still has it. It is never refused.",
            body: AlarmLinkPages.fields, bodyType: .form, maximumBody: LinkVisit.maximumBody,
            answer: .string(.text, length: 0...100_000), answerType: .html,
            problems: [.notFound, .forbidden, .conflict], worksWhileSuspended: true, urgency: .safety),
        Endpoint(
            operationID: "receiveText", method: .post, path: "/v1/inbound/sms/{token}", caller: .open,
            work: .resource(InboundTexts.answer, parameters: InboundTexts.parameters),
            summary: "Take a text message that the tenant's provider forwards",
            details:
                """
                The body is a form or a JSON object with the fields that inbound of the SMS channel names. The call \
                must be signed as it says. A repeat of the same message does nothing. What the person is told goes \
                out as a text message.
                """,
            area: area, bound: "A check-in has its own bound. Ids of messages are kept for 7 days.",
            body: .object([
                .init("From", .string(.line, length: 1...50), example: .text("+4915112345678")),
                .init("Body", .string(.text, length: 0...5000), example: .text("OK")),
                .init("MessageSid", .string(.line, length: 1...200), example: .text("SM0123456789")),
            ]), bodyType: .form,
            maximumBody: InboundCall.maximumBody, success: .noContent,
            problems: [.unauthenticated, .notFound, .tooManyRequests], worksWhileSuspended: true, isRateLimited: false),
        Endpoint(
            operationID: "receiveCall", method: .post, path: "/v1/inbound/voice/{token}", caller: .open,
            work: .resource(InboundCalls.answer, parameters: InboundCalls.parameters),
            summary: "Take what the tenant's provider reports of a phone call",
            details:
                """
                The address is the callback of a call, with the parameter call. The body has the fields that inbound \
                of the voice channel names: the key that was pressed, who answered, and the status. 1 is a check-in, \
                2 a call for help; in a call about an alarm, 1 takes it, and 2 ends it as safe. A provider whose \
                signature is twilio is answered by TwiML.
                """,
            area: area, bound: "A check-in has its own bound. Ids of calls are kept for 7 days.",
            body: .object([
                .init("Digits", .string(.line, length: 0...50), example: .text("1")),
                .init("AnsweredBy", .string(.line, length: 0...50), example: .leftOut),
                .init("CallStatus", .string(.line, length: 0...50), example: .text("in-progress")),
                .init("CallSid", .string(.line, length: 1...200), example: .text("CA0123456789")),
            ]), bodyType: .form,
            maximumBody: InboundCall.maximumBody, success: .noContent,
            problems: [.unauthenticated, .notFound, .tooManyRequests], worksWhileSuspended: true, isRateLimited: false),
    ]

    private static let area = "Answers"
}

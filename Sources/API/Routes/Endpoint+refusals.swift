internal import HTTP

extension Endpoint {
    /// Every refusal that the call can meet: its own, and those that any call of its kind can.
    var refusals: Set<ProblemCode> {
        var codes = Set(problems)
        // What the HTTP server refuses before anybody knows which call it is.
        codes.formUnion([.invalidRequest, .payloadTooLarge, .uriTooLong, .headersTooLarge, .internal, .unavailable])
        if answer != nil, answerType != .content { codes.insert(.notAcceptable) }
        if path.contains("{") { codes.insert(.notFound) }
        switch work {
        case .liveness: return codes
        case .readiness, .openAPI, .reference, .joinPage, .appSiteAssociation, .invitationPage:
            return codes.union([.tooManyRequests])
        case .invitationForm: return codes.union([.tooManyRequests, .unsupportedMediaType])
        case .procedure, .handler: break
        }
        codes.formUnion([.tooManyRequests, .validationFailed, .unsupportedMediaType])
        switch caller {
        case .open: break
        case .tenant: codes.formUnion([.notFound, .tenantSuspended])
        // An account that has just ended is gone before its tokens are.
        case .user: codes.formUnion([.unauthenticated, .forbidden, .tenantSuspended, .notFound])
        case .key: codes.formUnion([.unauthenticated, .forbidden, .tenantSuspended])
        }
        if takesIdempotencyKey { codes.insert(.idempotencyMismatch) }
        return codes
    }
}

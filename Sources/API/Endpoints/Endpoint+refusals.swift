internal import HTTP
internal import Problems

extension Endpoint {
    /// All refusals that the call can give: its own, and those common to its kind.
    var refusals: Set<ProblemCode> {
        var codes = Set(problems)
        // The HTTP server gives these before the request is routed.
        codes.formUnion([.invalidRequest, .uriTooLong, .headersTooLarge, .internal, .unavailable])
        if !isForgiving { codes.insert(.payloadTooLarge) }
        if answer != nil, answerType != .content, checksHeader { codes.insert(.notAcceptable) }
        if path.contains("{") { codes.insert(.notFound) }
        if isRateLimited { codes.insert(.tooManyRequests) }
        // It is answered before a caller is identified or an argument is validated.
        if case .resource = work { return body == nil ? codes : codes.union([.unsupportedMediaType]) }
        if !isForgiving { codes.formUnion([.validationFailed, .unsupportedMediaType]) }
        if method != .get, !isForgiving { codes.insert(.preconditionFailed) }
        switch caller {
        case .open: break
        case .tenant: codes.formUnion([.notFound, .tenantSuspended])
        // After an account ends, its tokens outlive it for a while: the user is not found.
        case .user: codes.formUnion([.unauthenticated, .forbidden, .tenantSuspended, .notFound])
        case .key: codes.formUnion([.unauthenticated, .forbidden, .tenantSuspended])
        }
        // A repeat is not found once the right that its kept answer came from has ended.
        if takesIdempotencyKey { codes.insert(.notFound) }
        if takesIdempotencyKey, !isForgiving { codes.insert(.idempotencyMismatch) }
        return codes
    }
}

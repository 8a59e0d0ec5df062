package import HTTP

extension Problem {
    /// The problem for a refusal by the HTTP server.
    package init(_ refusal: HTTPRefusal) {
        switch refusal {
        case .bodyTooLarge(let limit): self.init(.payloadTooLarge, "The body is larger than \(limit) bytes.")
        case .headersTooLarge(let limit): self.init(.headersTooLarge, "The headers take more than \(limit) bytes.")
        case .uriTooLong(let limit): self.init(.uriTooLong, "The address is longer than \(limit) bytes.")
        case .malformed(let reason): self.init(.invalidRequest, reason)
        case .unsupportedTransferCoding:
            self.init(.notImplemented, "Send the body with Content-Length or Transfer-Encoding: chunked.")
        case .unsupportedVersion: self.init(.versionNotSupported)
        case .unsupportedExpectation: self.init(.expectationFailed)
        case .timedOut, .overloaded: self.init(.unavailable)
        case .stopping: self.init(.unavailable, "The server is stopping. Please try again.")
        }
    }
}

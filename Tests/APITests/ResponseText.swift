import HTTP

/// The body of a response that is held in memory.
func text(of response: HTTPResponse) -> String {
    guard case .bytes(let bytes) = response.body else { return "" }
    return String(decoding: bytes, as: UTF8.self)
}

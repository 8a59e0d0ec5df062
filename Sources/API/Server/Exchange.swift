internal import HTTP
internal import NetworkAddresses
internal import Requests

/// A request with what the server knows of it once its caller may call the endpoint.
struct Exchange {
    let request: HTTPRequest
    let route: PreparedRoute
    /// The path's segments that the endpoint's path leaves open.
    let path: [String]
    /// The client's address, as seen by the trusted proxies.
    let client: NetworkAddress?
    let caller: Caller?
    /// Whether a page of the web client makes the call.
    var isFromPage = false
    /// The key of the page's form that makes the call.
    var formKey: FormKey?
}

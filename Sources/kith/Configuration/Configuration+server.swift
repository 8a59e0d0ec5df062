internal import API
internal import Crypto
internal import HTTP

extension Configuration {
    /// The URL with which links in messages begin, for programs that run no server: KITH_PUBLIC_URL, or else the
    /// address of KITH_LISTEN.
    var linkURL: String { publicURL ?? "http://\(listen)" }

    /// The settings of the API of a server that clients reach by `publicURL`.
    func api(masterKey: MasterKey, publicURL: String) -> APIConfiguration {
        var settings = APIConfiguration(
            masterKey: masterKey, instance: Instance.name, version: Release.name, publicURL: publicURL)
        settings.trustedProxies = trustedProxies
        settings.addressLimit = addressLimit ?? settings.addressLimit
        settings.userLimit = userLimit ?? settings.userLimit
        settings.tenantLimit = tenantLimit ?? settings.tenantLimit
        settings.signInLimit = signInLimit ?? settings.signInLimit
        settings.inboundLimit = inboundLimit ?? settings.inboundLimit
        settings.streams = streams ?? settings.streams
        settings.addressStreams = addressConnections
        return settings
    }

    /// The settings of the HTTP server on each loop. The loops together keep to the limits.
    var http: HTTPServerConfiguration {
        var http = HTTPServerConfiguration(address: listen)
        http.maximumBody = APIServer.usualBody
        http.bodyRule = APIServer.bodyRule
        http.singleFields = APIServer.singleFields
        http.connectionLimit = addressConnections.map(ConnectionLimit.init(most:))
        http.maximumConnections /= loops
        http.maximumBodies /= loops
        // Proxies keep connections open for any client's next request. Those that they use often are used, and then
        // closed, in this time.
        if !trustedProxies.isEmpty { http.idleGrace = .seconds(1) }
        return http
    }
}

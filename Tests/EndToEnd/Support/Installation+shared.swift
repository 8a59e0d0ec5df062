/// One installation and one server for the suites that only talk to it.
let shared = Result { () throws -> (installation: Installation, server: KithProcess, client: APIClient) in
    let installation = try Installation()
    let (server, client) = try installation.serve()
    return (installation, server, client)
}

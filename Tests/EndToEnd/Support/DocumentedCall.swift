import Foundation
import KithClient
import KithServer

/// A request that an operation of the document describes, built from its examples.
struct DocumentedCall: Sendable {
    let operation: OpenAPI.Operation
    var path: [String: String]
    var query: [String: String]
    var headers: [String: String]
    var credential: String?
    /// The body; nil if the operation accepts none.
    var body: JSON?

    init(_ operation: OpenAPI.Operation, credential: String?) {
        self.operation = operation
        self.credential = credential
        path = operation.examples(in: "path")
        query = operation.examples(in: "query")
        headers = operation.examples(in: "header")
        body = operation.body?.example
    }

    /// The path and the query of the request.
    var address: String {
        var address = path.reduce(operation.path) { $0.replacingOccurrences(of: "{\($1.key)}", with: $1.value) }
        for (index, (name, value)) in query.sorted(by: { $0.key < $1.key }).enumerated() {
            address += "\(index == 0 ? "?" : "&")\(name)=\(value)"
        }
        return address
    }

    /// The body in the media type of the operation.
    private var encodedBody: String? {
        get throws {
            guard operation.body?.type == "application/x-www-form-urlencoded" else { return try body?.text }
            return body?.object.map { "\($0.key)=\($0.value.string?.formEncoded ?? "")" }.joined(separator: "&")
        }
    }

    /// Sends the request, with `text` in place of the body and `type` in place of its media type, if given.
    func send(
        _ client: APIClient, text: String? = nil, type: String? = nil, accept: String? = nil
    ) async throws -> APIClient.Answer {
        var headers = headers
        headers["Content-Type"] = type ?? operation.body?.type ?? "application/json"
        headers["Accept"] = accept
        let fields = headers
        if operation.isStream { return try await beginning(client, fields) }
        return try await client.patiently {
            try await client.send(operation.method, address, text ?? encodedBody, as: credential, headers: fields)
        }
    }
}

extension DocumentedCall {
    /// Sends a request whose answer has no end; the beginning of the answer.
    fileprivate func beginning(_ client: APIClient, _ fields: [String: String]) async throws -> APIClient.Answer {
        let answer = try await client.patiently {
            let stream = try await EventClient(client, operation.method, address, as: credential, headers: fields)
            if stream.answer.status == 200 { _ = try await stream.block() }
            return stream.answer
        }
        if client.checksAnswers {
            await DocumentedAnswers.shared.check(answer, to: operation.method, address, of: client)
        }
        return answer
    }
}

/// The resources that an operation needs before it can succeed, and the places in the request that name them.
enum Preparation {
    typealias Step = @Sendable (inout DocumentedCall, DocumentedStage) async throws -> Void

    private static let connection: Step = { call, stage in call.path["id"] = stage.connection.text }
    static let nothing: Step = { _, _ in }
    /// A vault of Alice's.
    static let vault: Step = { call, stage in
        call.path["id"] = try await stage.do("createVault")["id"]?.string
    }
    /// A vault of Alice's that is open.
    private static let openVault: Step = { call, stage in
        call.path["id"] = try await stage.do("openVault")["vault_id"]?.string
    }

    /// A document in an open vault.
    private static let document: Step = { call, stage in
        let document = try await stage.do("createDocument")
        call.path["id"] = document["vault_id"]?.string
        call.path["doc"] = document["id"]?.string
    }

    /// Deletes Alice's things, since she can have ten.
    private static func leaveRoomForSigns(_ stage: DocumentedStage) async throws {
        let known = try await stage.alice.send("GET", "/v1/me/signs").decode([String: JSON].self)["items"]?.array ?? []
        for sign in known { _ = try await stage.alice.send("DELETE", "/v1/me/signs/\(sign["id"]?.string ?? "")") }
    }

    /// The token in the address of a new thing of Alice's.
    private static func sign(_ stage: DocumentedStage, allowGet: Bool = false) async throws -> String? {
        try await leaveRoomForSigns(stage)
        let made = try await stage.alice.send(
            "POST", "/v1/me/signs", #"{"name":"Button","kind":"activity","allow_get":\#(allowGet)}"#)
        let url = try made.decode([String: JSON].self)["url"]?.string
        return url?.split(separator: "/").last.map(String.init)
    }

    /// The steps by operation. A new operation needs an entry here or in one of the files beside this one; a test
    /// checks that.
    static let steps = general.merging(nominees) { $1 }.merging(sharing) { $1 }.merging(emergency) { $1 }
        .merging(channels) { $1 }.merging(alarms) { $1 }.merging(answers) { $1 }

    private static let general: [String: Step] = [
        "requestOneTimeCode": { call, _ in call.body?["phone"] = .string(SignInHouse.number()) },
        "signIn": { call, stage in
            let number = SignInHouse.number()
            call.body?["phone"] = .string(number)
            call.body?["code"] = .string(try await stage.house.code(to: number))
        },
        "refreshTokens": { call, stage in
            call.body?["refresh_token"] = .string(
                try await stage.house.signIn(SignInHouse.number()).refreshToken)
        },
        "signOut": nothing,
        "listJwtKeys": nothing,
        "addJwtKeys": { call, _ in call.body?["kid"] = .string(UUID().uuidString) },
        "revokeJwtKey": { call, stage in
            let keys = try await stage.do("addJwtKeys")
            call.path["id"] = keys["items"]?.array.first?["id"]?.string
        },
        "listWebhooks": { _, stage in _ = try await webhook(stage) },
        "createWebhook": { _, stage in try await leaveRoom(stage) },
        "deleteWebhook": { call, stage in call.path["id"] = try await webhook(stage) },
        "rotateWebhookSecret": { call, stage in call.path["id"] = try await webhook(stage) },
        "createUser": { call, _ in distinguish(&call) },
        "listUsers": nothing,
        "getUser": { call, stage in call.path["id"] = stage.alice.id.text },
        "updateUser": { call, stage in
            call.path["id"] = stage.alice.id.text
            distinguish(&call)
        },
        "deleteUser": { call, stage in call.path["id"] = stage.carol.id.text },
        "importUsers": { call, _ in distinguish(&call) },
        "setSubscription": { call, stage in call.path["id"] = stage.bob.id.text },
        "makeSignInLink": { call, stage in call.body?["user_id"] = .string(stage.alice.id.text) },
        "mintToken": { call, stage in call.body?["user_id"] = .string(stage.alice.id.text) },
        "getTenant": nothing,
        "listApiKeys": nothing,
        "createApiKey": nothing,
        "deleteApiKey": { call, stage in call.path["id"] = try await stage.do("createApiKey")["id"]?.string },
        "importItems": { call, _ in distinguish(&call) },
        "getHome": nothing,
        "updateTenant": nothing,
        "getMe": nothing,
        "updateMe": { call, _ in distinguish(&call) },
        "deleteMe": nothing,
        "verifyContact": { call, stage in
            let number = SignInHouse.number()
            _ = try await stage.alice.send("PATCH", "/v1/me", #"{"phone":"\#(number)"}"#)
            call.body?["phone"] = .string(number)
            call.body?["code"] = .string(try await stage.house.newCode(to: number, after: 0))
        },
        "exportMe": nothing,
        "getSenderProfile": nothing,
        "setSenderProfile": nothing,
        "deleteSenderProfile": nothing,
        "getReceiverProfile": nothing,
        "createReceiverProfile": nothing,
        "deleteReceiverProfile": nothing,
        "listCodes": nothing,
        "createCode": nothing,
        "listDevices": { _, stage in _ = try await stage.do("registerDevice") },
        // A push token belongs to one device and moves to the user who registered it last.
        "registerDevice": { call, _ in call.body?["token"] = .string(UUID().digits) },
        "deleteDevice": { call, stage in
            call.path["token"] = try await stage.do("registerDevice")["token"]?.string
        },
        "listSigns": { _, stage in _ = try await stage.do("createSign") },
        "createSign": { _, stage in try await leaveRoomForSigns(stage) },
        "deleteSign": { call, stage in call.path["id"] = try await stage.do("createSign")["id"]?.string },
        "reportSign": { call, stage in call.path["token"] = try await sign(stage) },
        "reportSignByGet": { call, stage in call.path["token"] = try await sign(stage, allowGet: true) },
        "listBlocks": { _, stage in _ = try await stage.do("blockUser") },
        "getBlock": { call, stage in
            call.path["user_id"] = try await stage.do("blockUser")["user"]?["id"]?.string
        },
        "blockUser": { call, stage in call.path["user_id"] = stage.bob.id.text },
        "unblockUser": { call, stage in
            call.path["user_id"] = try await stage.do("blockUser")["user"]?["id"]?.string
        },
        "getQuietHours": { _, stage in _ = try await stage.do("setQuietHours") },
        "setQuietHours": nothing,
        "deleteQuietHours": { _, stage in _ = try await stage.do("setQuietHours") },
        "getNotificationPreferences": { _, stage in _ = try await stage.do("setNotificationPreferences") },
        "setNotificationPreferences": nothing,
        "getBreak": { _, stage in _ = try await stage.do("setBreak") },
        "setBreak": { call, _ in
            call.body?["from"] = .string(Day.date(3))
            call.body?["until"] = .string(Day.date(5))
        },
        "deleteBreak": { _, stage in _ = try await stage.do("setBreak") },
        "previewCode": { call, stage in call.path["code"] = try await stage.carol.becomeReceiver().code },
        "createConnection": { call, stage in
            call.body?["code"] = .string(try await stage.carol.becomeReceiver().code)
        },
        "listConnections": nothing,
        "getConnection": connection,
        "updateConnection": connection,
        "deleteConnection": connection,
        "pauseConnection": connection,
        "resumeConnection": { call, stage in
            call.path["id"] = try await stage.do("pauseConnection")["id"]?.string
        },
        "testConnection": connection,
        "answerConnectionTest": { call, stage in
            let connection = try await stage.do("testConnection")
            call.path["id"] = connection["id"]?.string
            call.body?["sent_at"] = connection["test"]?["sent_at"]
            call.credential = stage.bob.token
        },
        "consentToConnection": { call, stage in
            // globex requires consent, so that acme's setting need not change while other tests run.
            let globex = stage.house.installation.globex
            let client = stage.house.client
            _ = try await client.send("PATCH", "/v1/tenant", #"{"requires_consent":true}"#, as: globex.secretKey)
            let alice = try await Person.join(globex, as: "Alice", client)
            let bob = try await Person.join(globex, as: "Bob", client)
            try await alice.becomeSender()
            call.path["id"] = try await alice.connect(bob.becomeReceiver().code).id.text
            call.credential = bob.token
        },
        "listConnectionPings": connection,
        "getDashboard": nothing,
        "createConnectionInvitation": nothing,
        "listConnectionInvitations": { _, stage in _ = try await stage.do("createConnectionInvitation") },
        "getConnectionInvitation": { call, stage in
            call.path["id"] = try await stage.do("createConnectionInvitation")["id"]?.string
        },
        "reportInvitationOutcome": { call, stage in
            call.path["id"] = try await stage.do("createConnectionInvitation")["id"]?.string
        },
        "reportGroupInvitationOutcome": { call, stage in
            call.path["id"] = try await stage.do("createConnectionInvitation")["id"]?.string
        },
        "checkIn": nothing,
        "listPings": nothing,
        "listNotifications": { call, stage in call.credential = stage.bob.token },
        "markNotificationRead": { call, stage in
            call.credential = stage.bob.token
            call.path["id"] = try await stage.bob.notifications().first?.id.text
        },
        "markAllNotificationsRead": nothing,
        "streamEvents": nothing,
        "createVault": nothing,
        "listVaults": nothing,
        "getVault": vault,
        "updateVault": vault,
        "deleteVault": vault,
        "restoreVault": { call, stage in
            let id = try await stage.do("createVault")["id"]?.string
            call.path["id"] = id
            _ = try await stage.alice.send("DELETE", "/v1/vaults/\(id ?? "")")
        },
        "openVault": vault,
        "lockVault": openVault,
        "recordVaultActivity": openVault,
        "listVaultHistory": vault,
        "listDocuments": openVault,
        "createDocument": openVault,
        "getDocument": document,
        "replaceDocument": document,
        "renameDocument": document,
        "deleteDocument": document,
        "restoreDocument": { call, stage in
            try await document(&call, stage)
            _ = try await stage.alice.send(
                "DELETE", "/v1/vaults/\(call.path["id"] ?? "")/documents/\(call.path["doc"] ?? "")")
        },
        "downloadDocument": document,
        "getJoinPage": { call, _ in call.query["t"] = "acme" },
        "getOpenPage": { call, _ in call.query["t"] = "acme" },
        "getStatusFeed": { call, _ in call.query["t"] = "acme" },
        "getStatusPage": { call, _ in call.query["t"] = "acme" },
        "getAppSiteAssociation": { call, stage in
            _ = try await stage.do("updateTenant")
            let installation = stage.house.installation
            try installation.set(installation.acme, "universal_link_host=acme.example")
            call.headers["Host"] = "acme.example"
        },
        "getLiveness": nothing,
        "getReadiness": nothing,
        "getOpenApiDocument": nothing,
        "getReferencePage": nothing,
    ]

    /// Deletes webhooks: a tenant may have only ten, and these tests ask for many.
    private static func leaveRoom(_ stage: DocumentedStage) async throws {
        let known: Kith.WebhookPage = try await stage.house.client.get("GET", "/v1/tenant/webhooks", as: stage.key)
        for webhook in known.items {
            _ = try await stage.house.client.send("DELETE", "/v1/tenant/webhooks/\(webhook.id.text)", as: stage.key)
        }
    }

    private static func webhook(_ stage: DocumentedStage) async throws -> String? {
        try await leaveRoom(stage)
        return try await stage.do("createWebhook")["id"]?.string
    }

    /// Makes the values unique that may exist only once in a tenant.
    private static func distinguish(_ call: inout DocumentedCall) {
        call.body?["phone"] = .string(SignInHouse.number())
        call.body?["email"] = .string("\(UUID().uuidString)@example.com")
        if call.body?["external_id"] != nil { call.body?["external_id"] = .string(UUID().uuidString) }
    }
}

/// The people who try an operation: Alice and Bob, who are connected, and Carol, who is connected with nobody.
struct DocumentedStage: Sendable {
    let house: SignInHouse
    let api: OpenAPI
    let alice: Person
    let bob: Person
    let carol: Person
    let connection: UUID

    var key: String { house.installation.acme.secretKey }

    init(_ house: SignInHouse, _ api: OpenAPI) async throws {
        self.house = house
        self.api = api
        alice = try await Person.join(house.installation.acme, as: "Alice", house.client)
        bob = try await Person.join(house.installation.acme, as: "Bob", house.client)
        carol = try await Person.join(house.installation.acme, as: "Carol", house.client)
        try await alice.becomeSender()
        try await alice.becomeReceiver()
        connection = try await alice.connect(bob.becomeReceiver().code).id
    }

    /// The valid request of an operation.
    func call(_ operation: OpenAPI.Operation) async throws -> DocumentedCall {
        let credentials = ["accessToken": alice.token, "secretKey": key]
        var call = DocumentedCall(operation, credential: operation.security.flatMap { credentials[$0] })
        guard let prepare = Preparation.steps[operation.id] else {
            throw KithProcess.Failure(description: "\(operation.id) has no step in Preparation")
        }
        try await prepare(&call, self)
        return call
    }

    /// Performs another operation first; its answer.
    func `do`(_ id: String) async throws -> JSON {
        guard let operation = api.operations.first(where: { $0.id == id }) else {
            throw KithProcess.Failure(description: "there is no operation \(id)")
        }
        let answer = try await call(operation).send(house.client)
        guard (200...299).contains(answer.status) else {
            throw KithProcess.Failure(description: "\(id): \(answer.status) \(answer.text)")
        }
        return answer.body.isEmpty ? .null : try JSON(answer.body)
    }
}

import Foundation
import KithModel

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
        await DocumentedAnswers.shared.check(answer, to: operation.method, address, of: client)
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
        call.path["id"] = try await stage.do("postVaults")["id"]?.string
    }
    /// A vault of Alice's that is open.
    private static let openVault: Step = { call, stage in
        call.path["id"] = try await stage.do("postVaultsByIdOpen")["vault_id"]?.string
    }

    /// A document in an open vault.
    private static let document: Step = { call, stage in
        let document = try await stage.do("postVaultsByIdDocuments")
        call.path["id"] = document["vault_id"]?.string
        call.path["doc"] = document["id"]?.string
    }

    /// The steps by operation. A new operation needs an entry here or in one of the files beside this one; a test checks that.
    static let steps = general.merging(nominees) { $1 }.merging(sharing) { $1 }.merging(channels) { $1 }

    private static let general: [String: Step] = [
        "postAuthOtp": { call, _ in call.body?["phone"] = .string(SignInHouse.number()) },
        "postAuthOtpVerify": { call, stage in
            let number = SignInHouse.number()
            call.body?["phone"] = .string(number)
            call.body?["code"] = .string(try await stage.house.code(to: number))
        },
        "postAuthRefresh": { call, stage in
            call.body?["refresh_token"] = .string(
                try await stage.house.signIn(SignInHouse.number()).refreshToken)
        },
        "postAuthSignOut": nothing,
        "getTenantJwtKeys": nothing,
        "postTenantJwtKeys": { call, _ in call.body?["kid"] = .string(UUID().uuidString) },
        "deleteTenantJwtKeysById": { call, stage in
            let keys = try await stage.do("postTenantJwtKeys")
            call.path["id"] = keys["items"]?.array.first?["id"]?.string
        },
        "getTenantWebhooks": { _, stage in _ = try await webhook(stage) },
        "postTenantWebhooks": { _, stage in try await leaveRoom(stage) },
        "deleteTenantWebhooksById": { call, stage in call.path["id"] = try await webhook(stage) },
        "postTenantWebhooksByIdRotate": { call, stage in call.path["id"] = try await webhook(stage) },
        "postUsers": { call, _ in distinguish(&call) },
        "getUsers": nothing,
        "getUsersById": { call, stage in call.path["id"] = stage.alice.id.text },
        "patchUsersById": { call, stage in
            call.path["id"] = stage.alice.id.text
            distinguish(&call)
        },
        "deleteUsersById": { call, stage in call.path["id"] = stage.carol.id.text },
        "postUsersImport": { call, _ in distinguish(&call) },
        "putUsersByIdSubscription": { call, stage in call.path["id"] = stage.bob.id.text },
        "postTokens": { call, stage in call.body?["user_id"] = .string(stage.alice.id.text) },
        "getTenant": nothing,
        "patchTenant": nothing,
        "getMe": nothing,
        "patchMe": { call, _ in distinguish(&call) },
        "deleteMe": nothing,
        "postMeContactsVerify": { call, stage in
            let number = SignInHouse.number()
            _ = try await stage.alice.send("PATCH", "/v1/me", #"{"phone":"\#(number)"}"#)
            call.body?["phone"] = .string(number)
            call.body?["code"] = .string(try await stage.house.newCode(to: number, after: 0))
        },
        "getMeExport": nothing,
        "getMeSenderProfile": nothing,
        "putMeSenderProfile": nothing,
        "getMeReceiverProfile": nothing,
        "putMeReceiverProfile": nothing,
        "getMeCodes": nothing,
        "postMeCodes": nothing,
        "getMeDevices": { _, stage in _ = try await stage.do("putMeDevices") },
        // A push token belongs to one device and moves to the user who registered it last.
        "putMeDevices": { call, _ in call.body?["token"] = .string(UUID().uuidString) },
        "deleteMeDevicesByToken": { call, stage in
            call.path["token"] = try await stage.do("putMeDevices")["token"]?.string
        },
        "getMeBlocks": { _, stage in _ = try await stage.do("putMeBlocksByUserId") },
        "getMeBlocksByUserId": { call, stage in
            call.path["user_id"] = try await stage.do("putMeBlocksByUserId")["user"]?["id"]?.string
        },
        "putMeBlocksByUserId": { call, stage in call.path["user_id"] = stage.bob.id.text },
        "deleteMeBlocksByUserId": { call, stage in
            call.path["user_id"] = try await stage.do("putMeBlocksByUserId")["user"]?["id"]?.string
        },
        "getMeQuietHours": { _, stage in _ = try await stage.do("putMeQuietHours") },
        "putMeQuietHours": nothing,
        "deleteMeQuietHours": { _, stage in _ = try await stage.do("putMeQuietHours") },
        "getMeNotificationPreferences": { _, stage in _ = try await stage.do("putMeNotificationPreferences") },
        "putMeNotificationPreferences": nothing,
        "getMeBreak": { _, stage in _ = try await stage.do("putMeBreak") },
        "putMeBreak": { call, _ in
            call.body?["from"] = .string(Day.date(3))
            call.body?["until"] = .string(Day.date(5))
        },
        "deleteMeBreak": { _, stage in _ = try await stage.do("putMeBreak") },
        "getCodesByCode": { call, stage in call.path["code"] = try await stage.carol.becomeReceiver().code },
        "postConnections": { call, stage in
            call.body?["code"] = .string(try await stage.carol.becomeReceiver().code)
        },
        "getConnections": nothing,
        "getConnectionsById": connection,
        "deleteConnectionsById": connection,
        "postConnectionsByIdPause": connection,
        "postConnectionsByIdResume": { call, stage in
            call.path["id"] = try await stage.do("postConnectionsByIdPause")["id"]?.string
        },
        "postConnectionsByIdConsent": { call, stage in
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
        "getConnectionsByIdPings": connection,
        "getDashboard": nothing,
        "postConnectionInvitations": nothing,
        "getConnectionInvitations": { _, stage in _ = try await stage.do("postConnectionInvitations") },
        "getConnectionInvitationsById": { call, stage in
            call.path["id"] = try await stage.do("postConnectionInvitations")["id"]?.string
        },
        "patchConnectionInvitationsByIdRecipientsByN": { call, stage in
            call.path["id"] = try await stage.do("postConnectionInvitations")["id"]?.string
        },
        "postPingsCheckIn": nothing,
        "getPings": nothing,
        "getNotifications": { call, stage in call.credential = stage.bob.token },
        "postNotificationsByIdRead": { call, stage in
            call.credential = stage.bob.token
            call.path["id"] = try await stage.bob.notifications().first?.id.text
        },
        "postNotificationsReadAll": nothing,
        "getEvents": nothing,
        "postVaults": nothing,
        "getVaults": nothing,
        "getVaultsById": vault,
        "patchVaultsById": vault,
        "deleteVaultsById": vault,
        "postVaultsByIdRestore": { call, stage in
            let id = try await stage.do("postVaults")["id"]?.string
            call.path["id"] = id
            _ = try await stage.alice.send("DELETE", "/v1/vaults/\(id ?? "")")
        },
        "postVaultsByIdOpen": vault,
        "postVaultsByIdLock": openVault,
        "postVaultsByIdActivity": openVault,
        "getVaultsByIdHistory": vault,
        "getVaultsByIdDocuments": openVault,
        "postVaultsByIdDocuments": openVault,
        "getVaultsByIdDocumentsByDoc": document,
        "putVaultsByIdDocumentsByDoc": document,
        "patchVaultsByIdDocumentsByDoc": document,
        "deleteVaultsByIdDocumentsByDoc": document,
        "postVaultsByIdDocumentsByDocRestore": { call, stage in
            try await document(&call, stage)
            _ = try await stage.alice.send(
                "DELETE", "/v1/vaults/\(call.path["id"] ?? "")/documents/\(call.path["doc"] ?? "")")
        },
        "getVaultsByIdDocumentsByDocContent": document,
        "getJoin": { call, _ in call.query["t"] = "acme" },
        "getWellKnownAppleAppSiteAssociation": { call, stage in
            _ = try await stage.do("patchTenant")
            let installation = stage.house.installation
            try installation.set(installation.acme, "universal_link_host=acme.example")
            call.headers["Host"] = "acme.example"
        },
        "getLivez": nothing,
        "getReadyz": nothing,
        "getOpenapiJson": nothing,
        "getDocs": nothing,
    ]

    /// Deletes webhooks: a tenant may have only ten, and these tests ask for many.
    private static func leaveRoom(_ stage: DocumentedStage) async throws {
        let known: Page<Webhook> = try await stage.house.client.get("GET", "/v1/tenant/webhooks", as: stage.key)
        for webhook in known.items {
            _ = try await stage.house.client.send("DELETE", "/v1/tenant/webhooks/\(webhook.id.text)", as: stage.key)
        }
    }

    private static func webhook(_ stage: DocumentedStage) async throws -> String? {
        try await leaveRoom(stage)
        return try await stage.do("postTenantWebhooks")["id"]?.string
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
            throw KithProcess.Failure(description: "\(operation.id) has no line in Preparation")
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

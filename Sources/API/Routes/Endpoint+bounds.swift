internal import HTTP

extension Endpoint {
    /// The limits on repeating the call, for calls that change something; nil for calls that only read. The database enforces them
    /// (`internal.acts_a_day` and the procedures), so that they hold across servers.
    var bound: String? { Self.bounds["\(method.rawValue) \(path)"] }

    private static let changes = "5,000 changes per user per UTC day."
    private static let broadcasts =
        "200 changes per user per UTC day, of those that all connected people or all nominees of a vault can see."
    private static let documentWrites = "2,000 document changes per user per UTC day."
    private static let administration =
        "1,000 changes of the tenant's settings, keys, channels and webhooks per UTC day."
    private static let ending = "None. The call ends something that exists."
    private static let once = "None. The call takes effect once."
    private static let codes = "20 attempts per user per hour, 10 of which may miss."
    private static let oneTimeCodes = "5 one-time codes per address per hour, and 10 attempts per hour."
    private static let newUsers = "The tenant's user quota and request rate."
    private static let rate = "The tenant's request rate."

    /// Limits by method and path. Every call other than GET has an entry, and so does every GET that leaves a trace.
    static let bounds: [String: String] = [
        "GET /v1/codes/{code}": codes,
        "GET /v1/vaults/{id}/documents/{doc}/content":
            "5,000 reads per user per UTC day that the vault's history records. It records one read of a content per minute.",
        "POST /v1/connections": "\(codes) 10,000 connections per user and role, including removed ones.",
        "POST /v1/connections/{id}/pause": "\(changes) 20 times per connection per hour.",
        "POST /v1/connections/{id}/resume": "\(changes) 20 times per connection per hour.",
        "POST /v1/connections/{id}/consent": once,
        "DELETE /v1/connections/{id}": ending,
        "POST /v1/pings/check-in": "None. The notes of 200 check-ins per user are kept in 24 hours.",
        "POST /v1/notifications/{id}/read": once,
        "POST /v1/notifications/read-all": "None. Each notification is read once.",
        "POST /v1/connection-invitations":
            "2,000 people invited per user in 24 hours. Invitations are kept for 90 days.",
        "PATCH /v1/connection-invitations/{id}/recipients/{n}": changes,
        "PUT /v1/me/break": "\(broadcasts) Receivers are told 20 times per hour. One break is kept for each day.",
        "DELETE /v1/me/break": ending,
        "PATCH /v1/me": broadcasts
            + " Changing the name counts there; other changes count among 5,000. 10 codes per hour for new contacts.",
        "POST /v1/me/contacts/verify": oneTimeCodes,
        "DELETE /v1/me": once,
        "PUT /v1/me/sender-profile": broadcasts,
        "PUT /v1/me/receiver-profile": once,
        "POST /v1/me/codes": "100 codes per user. Ended codes count for 90 days.",
        "PUT /v1/me/devices": "\(changes) 20 devices per user.",
        "DELETE /v1/me/devices/{token}": ending,
        "PUT /v1/me/blocks/{user_id}": "\(changes) Only people the user is or was connected with.",
        "DELETE /v1/me/blocks/{user_id}": ending,
        "PUT /v1/me/quiet-hours": changes,
        "DELETE /v1/me/quiet-hours": ending,
        "PUT /v1/me/notification-preferences": changes,
        "POST /v1/vaults": "\(changes) 200 vaults per user, and as many deleted ones.",
        "PATCH /v1/vaults/{id}": broadcasts,
        "DELETE /v1/vaults/{id}": ending,
        "POST /v1/vaults/{id}/restore": broadcasts,
        "POST /v1/vaults/{id}/open": "100 openings per vault and user in 24 hours.",
        "POST /v1/vaults/{id}/lock": ending,
        "POST /v1/vaults/{id}/activity": "None. Activity is recorded once per minute, in place.",
        "POST /v1/vaults/{id}/documents":
            "\(documentWrites) The vault's storage quota, and 10,000 documents per vault.",
        "PUT /v1/vaults/{id}/documents/{doc}":
            "\(documentWrites) The vault's storage quota, which also limits what is replaced per hour.",
        "PATCH /v1/vaults/{id}/documents/{doc}": documentWrites,
        "DELETE /v1/vaults/{id}/documents/{doc}": ending,
        "POST /v1/vaults/{id}/documents/{doc}/restore": documentWrites,
        "POST /v1/vaults/{id}/nominees":
            "200 people invited per user in 24 hours; per vault, 1,000 nominees that are not revoked and 5,000 ever.",
        "PATCH /v1/vaults/{id}/nominees/{n}": changes,
        "DELETE /v1/vaults/{id}/nominees/{n}": ending,
        "POST /v1/vaults/{id}/nominees/{n}/resend":
            "Five times per nominee in 24 hours, 400 times per user per UTC day.",
        "POST /v1/vaults/{id}/nominees/{n}/confirm": once,
        "PATCH /v1/vaults/{id}/nominees/{n}/invitation": changes,
        "POST /v1/invitations/{token}/accept": once,
        "POST /v1/invitations/{token}/decline": once,
        "POST /i/{token}": oneTimeCodes,
        "PUT /v1/drafts/nominee-invitation": "\(changes) One draft per user.",
        "DELETE /v1/drafts/nominee-invitation": ending,
        "POST /v1/drafts/nominee-invitation/take": ending,
        "POST /v1/vaults/{id}/nominees/{n}/messages":
            "30 messages per user per minute, 1,000 per UTC day; 50,000 per conversation.",
        "POST /v1/vaults/{id}/nominees/{n}/messages/read": "None. Each message is read once.",
        "POST /v1/vaults/{id}/transfer": "10 offers per vault in 24 hours, one at a time.",
        "DELETE /v1/vaults/{id}/transfer": ending,
        "PUT /v1/vaults/{id}/share": "\(changes) 1,000 shares per vault ever.",
        "DELETE /v1/vaults/{id}/share": ending,
        "PUT /v1/vaults/{id}/share/participants":
            changes
            + " 4,000 participants added or changed per user per UTC day. The limits on a vault's nominees apply.",
        "PATCH /v1/shares/{id}": changes,
        "DELETE /v1/shares/{id}": ending,
        "POST /v1/auth/otp": oneTimeCodes,
        "POST /v1/auth/otp/verify": oneTimeCodes,
        "POST /v1/auth/refresh": "5,000 times per user per UTC day.",
        "POST /v1/auth/sign-out": ending,
        "POST /v1/users": newUsers,
        "PATCH /v1/users/{id}": rate,
        "DELETE /v1/users/{id}": once,
        "POST /v1/users:import": newUsers,
        "PUT /v1/users/{id}/subscription": rate,
        "POST /v1/tokens": "The tenant's request rate. Nothing is stored.",
        "PATCH /v1/tenant": administration,
        "POST /v1/tenant/jwt-keys": "\(administration) 100 keys.",
        "DELETE /v1/tenant/jwt-keys/{id}": ending,
        "POST /v1/tenant/webhooks": "\(administration) 10 webhooks.",
        "DELETE /v1/tenant/webhooks/{id}": ending,
        "POST /v1/tenant/webhooks/{id}/rotate": administration,
        "PUT /v1/tenant/channels/apns": administration,
        "PUT /v1/tenant/channels/email": administration,
        "PUT /v1/tenant/channels/sms": administration,
        "PUT /v1/tenant/channels/web_push": administration,
        "DELETE /v1/tenant/channels/apns": ending,
        "DELETE /v1/tenant/channels/email": ending,
        "DELETE /v1/tenant/channels/sms": ending,
        "DELETE /v1/tenant/channels/web_push": ending,
    ]
}

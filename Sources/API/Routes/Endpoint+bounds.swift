internal import HTTP

extension Endpoint {
    /// What keeps somebody from calling this without end, for calls that change something; nil for those that only read. The limits
    /// themselves are in the database (`internal.acts_a_day`, and the procedures), so that they hold across servers.
    var bound: String? { Self.bounds["\(method.rawValue) \(path)"] }

    private static let changes = "5,000 changes of one user a UTC day."
    private static let broadcasts =
        "200 changes of one user a UTC day that everybody connected, or every nominee of a vault, sees."
    private static let documentWrites = "2,000 documents of one user a UTC day."
    private static let administration = "1,000 changes of one tenant's settings, keys, channels and webhooks a UTC day."
    private static let ending = "Ends something that is there, and is never refused for having been done too often."
    private static let once = "Once, whatever else is asked for."
    private static let codes = "20 attempts of one user an hour, 10 of them misses."
    private static let oneTimeCodes = "5 one-time codes an hour to an address, 10 tries an hour."
    private static let newUsers = "As many users as the tenant's quota allows; the tenant's rate of requests."
    private static let rate = "The tenant's rate of requests."

    /// Every call that is not a GET has one, and so have GETs that leave a trace.
    static let bounds: [String: String] = [
        "GET /v1/codes/{code}": codes,
        "GET /v1/vaults/{id}/documents/{doc}/content":
            "5,000 readings of one user a UTC day that the vault's history notes; it notes one a minute of a content.",
        "POST /v1/connections": "\(codes) 10,000 connections of one user in one role, removed ones included.",
        "POST /v1/connections/{id}/pause": "\(changes) 20 an hour of one connection.",
        "POST /v1/connections/{id}/resume": "\(changes) 20 an hour of one connection.",
        "POST /v1/connections/{id}/consent": once,
        "DELETE /v1/connections/{id}": ending,
        "POST /v1/pings/check-in": "Never refused. Of one user 200 in 24 hours are kept with their notes.",
        "POST /v1/notifications/{id}/read": once,
        "POST /v1/notifications/read-all": "Each notification once.",
        "POST /v1/connection-invitations": "2,000 people invited by one user in 24 hours; kept for 90 days.",
        "PATCH /v1/connection-invitations/{id}/recipients/{n}": changes,
        "PUT /v1/me/break": "\(broadcasts) 20 an hour that receivers are told of; one break is kept for each day.",
        "DELETE /v1/me/break": ending,
        "PATCH /v1/me": broadcasts
            + " A name counts there; the rest among 5,000 changes. 10 codes an hour for new contacts.",
        "POST /v1/me/contacts/verify": oneTimeCodes,
        "DELETE /v1/me": once,
        "PUT /v1/me/sender-profile": broadcasts,
        "PUT /v1/me/receiver-profile": once,
        "POST /v1/me/codes": "100 codes of one user, ended ones for 90 days.",
        "PUT /v1/me/devices": "\(changes) 20 devices.",
        "DELETE /v1/me/devices/{token}": ending,
        "PUT /v1/me/blocks/{user_id}": "\(changes) Only people one has or had to do with.",
        "DELETE /v1/me/blocks/{user_id}": ending,
        "PUT /v1/me/quiet-hours": changes,
        "DELETE /v1/me/quiet-hours": ending,
        "PUT /v1/me/notification-preferences": changes,
        "POST /v1/vaults": "\(changes) 200 vaults of one user, and as many deleted ones.",
        "PATCH /v1/vaults/{id}": broadcasts,
        "DELETE /v1/vaults/{id}": ending,
        "POST /v1/vaults/{id}/restore": broadcasts,
        "POST /v1/vaults/{id}/open": "100 openings of one vault by one user in 24 hours.",
        "POST /v1/vaults/{id}/lock": ending,
        "POST /v1/vaults/{id}/activity": "Noted once a minute, in place.",
        "POST /v1/vaults/{id}/documents": "\(documentWrites) The vault's quota of bytes, and 10,000 documents.",
        "PUT /v1/vaults/{id}/documents/{doc}": "\(documentWrites) The vault's quota of bytes, once more in an hour.",
        "PATCH /v1/vaults/{id}/documents/{doc}": documentWrites,
        "DELETE /v1/vaults/{id}/documents/{doc}": ending,
        "POST /v1/vaults/{id}/documents/{doc}/restore": documentWrites,
        "POST /v1/vaults/{id}/nominees":
            "200 people invited by one user in 24 hours; 1,000 nominees of a vault who are not revoked, 5,000 ever.",
        "PATCH /v1/vaults/{id}/nominees/{n}": changes,
        "DELETE /v1/vaults/{id}/nominees/{n}": ending,
        "POST /v1/vaults/{id}/nominees/{n}/resend": "Five times a nominee in 24 hours, 400 times a user a UTC day.",
        "POST /v1/vaults/{id}/nominees/{n}/confirm": once,
        "PATCH /v1/vaults/{id}/nominees/{n}/invitation": changes,
        "POST /v1/invitations/{token}/accept": once,
        "POST /v1/invitations/{token}/decline": once,
        "POST /i/{token}": oneTimeCodes,
        "PUT /v1/drafts/nominee-invitation": "\(changes) One draft.",
        "DELETE /v1/drafts/nominee-invitation": ending,
        "POST /v1/drafts/nominee-invitation/take": ending,
        "POST /v1/vaults/{id}/nominees/{n}/messages":
            "30 messages of one user a minute, 1,000 a UTC day; 50,000 in one conversation.",
        "POST /v1/vaults/{id}/nominees/{n}/messages/read": "Each message once.",
        "POST /v1/vaults/{id}/transfer": "10 offers of one vault in 24 hours, one at a time.",
        "DELETE /v1/vaults/{id}/transfer": ending,
        "PUT /v1/vaults/{id}/share": "\(changes) 1,000 shares of one vault ever.",
        "DELETE /v1/vaults/{id}/share": ending,
        "PUT /v1/vaults/{id}/share/participants":
            changes
            + " 4,000 participants added or changed by one user a UTC day; nominees of a vault as by invitation.",
        "PATCH /v1/shares/{id}": changes,
        "DELETE /v1/shares/{id}": ending,
        "POST /v1/auth/otp": oneTimeCodes,
        "POST /v1/auth/otp/verify": oneTimeCodes,
        "POST /v1/auth/refresh": "5,000 times one user a UTC day.",
        "POST /v1/auth/sign-out": ending,
        "POST /v1/users": newUsers,
        "PATCH /v1/users/{id}": rate,
        "DELETE /v1/users/{id}": once,
        "POST /v1/users:import": newUsers,
        "PUT /v1/users/{id}/subscription": rate,
        "POST /v1/tokens": "The tenant's rate of requests; nothing is kept.",
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

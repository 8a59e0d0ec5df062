extension LimitChapter {
    static let vaults = LimitChapter(
        name: "vaults",
        limits: [
            Limit(
                "vaults of one user, made, restored or taken over", "{0}, and as many deleted ones",
                [LimitReading("sql/vaults/internal.vaults.sql", "where deleted_at is null\\) >= ([0-9]+)\n")],
                "{quota_exceeded}", bounds: ["{0} vaults per user, and as many deleted ones."]),
            Limit(
                "size of one document", "{0} MiB",
                [
                    LimitReading(
                        "Sources/API/Documents/DocumentVersion.swift", "maximumSize = ([0-9_ <]+)\n", unit: 1 << 20)
                ],
                "{payload_too_large}", refusedIn: "Sources/Problems/Problem+http.swift"),
            Limit(
                "documents of one vault, including those deleted in the last 30 days", "{0} documents; {1} MiB in all",
                [
                    LimitReading("sql/documents/internal.documents.sql", "v_documents >= ([0-9]+) "),
                    .setting("vault_quota_mib"),
                ], "{quota_exceeded}", changedBy: [.setting("vault_quota_mib")], bounds: ["{0} documents per vault."]),
            .aDay(
                "documents uploaded, renamed and restored by one user", "document",
                bounds: ["{0} document changes per user per UTC day."]),
            .aDay(
                "reads of documents by one user that the access history records", "reading",
                bounds: ["{0} reads per user per UTC day that the vault's history records."]),
            Limit(
                "uploads of documents by one user at once, on one server", "{0}",
                [LimitReading(shared, "let uploads = InFlightLimit\\(\\s+most: ([0-9]+)")], "{too_many_requests}",
                refusedIn: inFlight),
            Limit(
                "downloads of documents by one user at once, on one server", "{0}",
                [LimitReading(shared, "let downloads = InFlightLimit\\(\\s+most: ([0-9]+)")], "{too_many_requests}",
                refusedIn: inFlight),
            Limit(
                "unfinished uploads of one vault", "{0}",
                [
                    LimitReading(
                        "sql/documents/api.document_contents.sql",
                        "select count\\(\\*\\) >= ([0-9]+) from kith\\.document_versions")
                ], "{too_many_requests}"),
            Limit(
                "forms with files of one user at once, on pages of the web client of one server", "{0}",
                [LimitReading(shared, "let fileForms = InFlightLimit\\(\\s+most: ([0-9]+)")], "{too_many_requests}",
                refusedIn: inFlight),
            Limit(
                "one form with files",
                """
                {0} files of {1} MiB each, {2} other parts, {3} KiB of names and other fields; the proxies' configurations let \
                {4} MiB through
                """,
                [
                    LimitReading(form, "mostFiles = ([0-9]+)\n"),
                    LimitReading(
                        "Sources/API/Documents/DocumentVersion.swift", "maximumSize = ([0-9_ <]+)\n", unit: 1 << 20),
                    LimitReading(form, "mostParts = mostFiles \\+ ([0-9]+)\n"),
                    LimitReading(form, "mostFields = ([0-9_ <]+)\n", unit: 1024),
                    LimitReading("deploy/Caddyfile", "max_size ([0-9]{3})MiB"),
                ], "{payload_too_large}, and nothing further is stored, or the page with the reason for each file"),
            Limit(
                "openings of one vault by one user", "{0} in 24 hours",
                [LimitReading("sql/vaults/internal.vault_sessions.sql", "offset ([0-9]+) limit 1", adding: 1)],
                "{too_many_requests}", bounds: ["{0} openings per vault and user in 24 hours."]),
            Limit(
                "minutes of one shared session", "{0}", [.setting("session_maximum_minutes")],
                "the vault locks, whatever is done in it", changedBy: [.setting("session_maximum_minutes")]),
            Limit(
                "nominees of one vault", "{0} who are not revoked, {1} ever",
                [
                    LimitReading("sql/nominees/internal.nominees.sql", "p_more > ([0-9]+) from kith\\.nominees"),
                    LimitReading("sql/nominees/internal.nominees.sql", "p_more > ([0-9]+)\n"),
                ], "{quota_exceeded}",
                bounds: ["per vault, {0} nominees that are not revoked", "and {1} ever."]),
            Limit(
                "nominees invited by one user", "{0} in 24 hours",
                [LimitReading("sql/nominees/internal.nominees.sql", "offset ([0-9]+) limit 1", adding: 1)],
                "{too_many_requests}", refusedIn: "sql/access/api.nominees.sql",
                bounds: ["{0} people invited per user in 24 hours"]),
            Limit(
                "days for which an invitation to a vault is good", "{0}", [.setting("invitation_days")],
                "{invitation_expired}", changedBy: [.setting("invitation_days")],
                refusedIn: "sql/access/internal.invitation_answers.sql"),
            Limit(
                "resent invitations to nominees", "{0} in 24 hours of each invitation, {1} in a UTC day of one user",
                [resent("nominees"), .act("invitation")], "{too_many_requests}", changedBy: [.quota],
                bounds: ["{0} times per nominee in 24 hours", "{1} times per user per UTC day."]),
            Limit(
                "resent invitations to transfers", "{0} in 24 hours of each transfer, within the {1} of one user",
                [resent("transfers"), .act("invitation")], "{too_many_requests}", changedBy: [.quota],
                bounds: ["{0} times per transfer in 24 hours", "{1} times per user per UTC day."]),
            Limit(
                "transfers of one vault", "{0} in 24 hours, one at a time",
                [LimitReading("sql/access/internal.transfers.sql", "offset ([0-9]+)\n", adding: 1)],
                "{too_many_requests}; {conflict} while one is pending", refusedIn: "sql/access/api.transfers.sql",
                bounds: ["{0} offers per vault in 24 hours, one at a time."]),
            Limit(
                "shares of one vault", "{0} ever",
                [LimitReading("sql/nominees/api.shares.sql", "offset ([0-9]+) limit 1", adding: 1)], "{quota_exceeded}",
                bounds: ["{0} shares per vault ever."]),
            Limit(
                "participants of a share in one call", "{0}",
                [
                    LimitReading(
                        "Sources/API/Nominees/Endpoint+shares.swift",
                        "\\.array\\(of: \\.component\\(\\.shareParticipant\\), count: 0\\.\\.\\.([0-9]+)\\)")
                ], "{validation_failed}", refusedIn: refusals),
            .aDay("participants of shares that one user adds or changes", "participant"),
            Limit(
                "messages in one conversation", "{0}",
                [LimitReading("sql/vaults/api.messages.sql", "offset ([0-9]+) limit 1", adding: 1)], "{quota_exceeded}",
                bounds: ["{0} per conversation."]),
            Limit(
                "messages of one user", "{0} a minute, {1} in a UTC day",
                [
                    LimitReading("sql/vaults/internal.messages.sql", "offset ([0-9]+)\n  limit 1", adding: 1),
                    .act("message"),
                ],
                "{too_many_requests}", changedBy: [.quota], refusedIn: "sql/vaults/api.messages.sql",
                bounds: ["{0} messages per user per minute, {1} per UTC day;"]),
            Limit(
                "characters of one message", "{0}", [.most("messages_body_is_short", of: "char_length(body)")],
                "{validation_failed}", refusedIn: refusals),
        ])

    private static let form = "Sources/API/Web/FileForm.swift"

    private static func resent(_ what: String) -> LimitReading {
        LimitReading("sql/access/api.\(what).sql", "offset ([0-9]+) limit 1", adding: 1)
    }
}

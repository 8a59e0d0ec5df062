internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// Nominees of vaults, and their invitations.
    static let nominees: [Endpoint] = [
        Endpoint(
            operationID: "listNominees", method: .get, path: "/v1/vaults/{id}/nominees", caller: .user,
            work: .procedure(
                .read(
                    "api.list_nominees", .path("id", .uuid),
                    .query(
                        "status", .several(.nomineeStatus),
                        "Only nominees with one of these statuses at present. The default is all but revoked."),
                    .query("include", .several(.nomineeListPart), "What else to answer. The default is nothing."),
                    .limit, .cursor(.uuid), .now)),
            summary: "List a vault's nominees",
            details:
                "The answer also names the owner. A nominee sees only their own entry.",
            area: "Nominees",
            answer: .list(
                of: .nominee,
                and: [
                    .init("owner", .component(.personName), required: true),
                    .init(
                        "history", .nullable(.array(of: .component(.vaultEvent), count: 0...50)), required: true,
                        """
                        The last 50 events, newest first, if include asks for them. On the first page, for the owner \
                        only.
                        """
                    ),
                ]), problems: nominee),
        Endpoint(
            operationID: "inviteNominees", method: .post, path: "/v1/vaults/{id}/nominees", caller: .user,
            work: .handler(NomineeInviting.answer, arguments: [.path("id", .uuid)]),
            summary: "Invite one or several nominees",
            details: "The answer has one result for each. An invalid one stops no other.", area: "Nominees",
            bound:
                """
                200 people invited per user in 24 hours; per vault, 1,000 nominees that are not revoked and 5,000 \
                ever.
                """,
            body: .object(
                invitee + [
                    .init(
                        "nominees",
                        .array(of: .item(.component(.invitee)), count: 1...100),
                        "Several invitees, instead of the other members.", example: .leftOut)
                ]),
            answer: .component(.nomineeInvitations), success: .created, answerHoldsSecret: true,
            repeatRight: .vault(.manage), problems: manager + [.quotaExceeded]),
        Endpoint(
            operationID: "getNominee", method: .get, path: "/v1/vaults/{id}/nominees/{n}", caller: .user,
            work: .procedure(.read("api.get_nominee", .path("id", .uuid), .path("n", .uuid), .now)),
            summary: "Get a nominee", area: "Nominees", answer: .component(.nominee), problems: nominee),
        Endpoint(
            operationID: "updateNominee", method: .patch, path: "/v1/vaults/{id}/nominees/{n}", caller: .user,
            work: .procedure(.write("api.update_nominee", .path("id", .uuid), .path("n", .uuid), .body, .now)),
            summary: "Update a nominee",
            details:
                """
                The vault's owner changes the access level and the emergency access, or pauses and resumes the \
                access.
                """,
            area: "Nominees", bound: Bound.changes,
            body: .object([
                .init("access_level", .component(.accessLevel)), .init("status", .component(.nomineeStatusChange)),
                .init(
                    "emergency", .nullable(.component(.newEmergencySettings)),
                    "The emergency access. Null takes it away.", example: .leftOut),
            ]),
            answer: .component(.nominee), problems: nominee + [.invalidTransition, .conflict]),
        Endpoint(
            operationID: "revokeNominee", method: .delete, path: "/v1/vaults/{id}/nominees/{n}", caller: .user,
            work: .procedure(.write("api.revoke_nominee", .path("id", .uuid), .path("n", .uuid), .now)),
            summary: "Revoke a nominee's access",
            details:
                """
                The access ends at once. Nominees can revoke their own access to leave a vault. Only the owner \
                revokes a nominee on whom emergency access hangs.
                """,
            area: "Nominees", bound: Bound.ending, success: .noContent,
            problems: manager),
        Endpoint(
            operationID: "resendNomineeInvitation", method: .post, path: "/v1/vaults/{id}/nominees/{n}/resend",
            caller: .user,
            work: .procedure(
                .write(
                    "api.resend_nominee_invitation", .path("id", .uuid), .path("n", .uuid), .member("channel"),
                    .publicURL,
                    .now)),
            summary: "Resend a nominee's invitation",
            details:
                """
                Creates a new invitation for a nominee who has not answered. The old one becomes invalid. Only the \
                owner does this for a nominee on whom emergency access hangs.
                """,
            area: "Nominees", bound: "5 times per nominee in 24 hours, 400 times per user per UTC day.",
            body: .object([channel]), answer: .component(.invitedNominee), answerHoldsSecret: true,
            repeatRight: .vault(.manage), problems: manager + [.invalidTransition, .tooManyRequests]),
        Endpoint(
            operationID: "confirmNominee", method: .post, path: "/v1/vaults/{id}/nominees/{n}/confirm", caller: .user,
            work: .procedure(.write("api.confirm_nominee", .path("id", .uuid), .path("n", .uuid), .now)),
            summary: "Confirm a nominee",
            details:
                """
                The vault's owner gives access to a nominee who has accepted and waits for confirmation, or says \
                that somebody who has access by a link alone is the right person, so that their emergency access \
                counts.
                """,
            area: "Nominees", bound: Bound.once,
            answer: .component(.nominee), repeatRight: .vault(.owner), problems: nominee + [.invalidTransition]),
        Endpoint(
            operationID: "reportNomineeInvitationOutcome", method: .patch,
            path: "/v1/vaults/{id}/nominees/{n}/invitation", caller: .user,
            work: .procedure(
                .write(
                    "api.report_nominee_invitation", .path("id", .uuid), .path("n", .uuid), .member("outcome"), .now)),
            summary: "Report the outcome of a nominee's invitation message",
            details: "The phone's message composer reports the outcome.", area: "Nominees", bound: Bound.changes,
            body: .object([.init("outcome", .component(.invitationOutcome), required: true)]),
            answer: .component(.nominee), problems: manager + [.invalidTransition]),
        Endpoint(
            operationID: "previewInvitation", method: .get, path: "/v1/invitations/{token}", caller: .open,
            work: .procedure(.read("api.preview_invitation", .path("token", .uuid), .now)),
            summary: "Preview an invitation", details: "The answer says what the invitation is for, and its state.",
            area: "Nominees",
            answer: .component(.invitationPreview), problems: [.invitationInvalid, .tenantSuspended]),
        Endpoint(
            operationID: "acceptInvitation", method: .post, path: "/v1/invitations/{token}/accept", caller: .user,
            work: .procedure(.write("api.accept_invitation", .path("token", .uuid), .now)),
            summary: "Accept an invitation", details: "If the same user repeats the call, the answer is the same.",
            area: "Nominees", bound: Bound.once,
            answer: .component(.acceptedInvitation), repeatRight: .sight, problems: answering + [.quotaExceeded]),
        Endpoint(
            operationID: "declineInvitation", method: .post, path: "/v1/invitations/{token}/decline", caller: .user,
            work: .procedure(.write("api.decline_invitation", .path("token", .uuid), .now)),
            summary: "Decline an invitation", details: "Nobody learns who declined it.", area: "Nominees",
            bound: Bound.once,
            answer: .component(.invitationPreview), repeatRight: .sight, problems: answering),
        Endpoint(
            operationID: "listOwnInvitations", method: .get, path: "/v1/me/invitations", caller: .user,
            work: .procedure(.read("api.list_own_invitations", .limit, .cursor(.uuid), .now)),
            summary: "List the invitations and offers that wait for me, newest first",
            details:
                """
                They are those that name a phone number or an e-mail address that I have verified, and offers of \
                vaults to me as a nominee. A page may have fewer of them than limit, or none, although another \
                follows: go on from next_cursor.
                """,
            area: "Nominees", answer: .list(of: .ownInvitation)),
        Endpoint(
            operationID: "acceptOwnInvitation", method: .post, path: "/v1/me/invitations/{id}/accept", caller: .user,
            work: .procedure(.write("api.accept_own_invitation", .path("id", .uuid), .now)),
            summary: "Accept an invitation that waits for me",
            details: "This has the same effect as accepting it by its token.", area: "Nominees", bound: Bound.once,
            answer: .component(.acceptedInvitation), repeatRight: .sight, problems: answering + [.quotaExceeded]),
        Endpoint(
            operationID: "declineOwnInvitation", method: .post, path: "/v1/me/invitations/{id}/decline",
            caller: .user,
            work: .procedure(.write("api.decline_own_invitation", .path("id", .uuid), .now)),
            summary: "Decline an invitation that waits for me",
            details: "This has the same effect as declining it by its token.", area: "Nominees", bound: Bound.once,
            answer: .component(.declinedInvitation), repeatRight: .sight, problems: answering),
        Endpoint(
            operationID: "setInvitationDraft", method: .put, path: "/v1/drafts/nominee-invitation", caller: .user,
            work: .procedure(.write("api.put_invitation_draft", .body, .now)),
            summary: "Save a draft of a nominee invitation",
            details: "Remembers for 10 minutes which vault I am about to invite to.", area: "Nominees",
            bound: "\(Bound.changes) One draft per user.",
            body: .object([.init("vault_id", .string(.uuid), required: true)]), answer: .component(.invitationDraft),
            problems: manager),
        Endpoint(
            operationID: "deleteInvitationDraft", method: .delete, path: "/v1/drafts/nominee-invitation", caller: .user,
            work: .procedure(.write("api.delete_invitation_draft")),
            summary: "Delete the draft of a nominee invitation", area: "Nominees", bound: Bound.ending,
            success: .noContent),
        Endpoint(
            operationID: "takeInvitationDraft", method: .post, path: "/v1/drafts/nominee-invitation/take",
            caller: .user,
            work: .procedure(.write("api.take_invitation_draft", .now)),
            summary: "Take the draft of a nominee invitation",
            details: "Returns the draft once and deletes it. Without a draft, it returns my oldest vault.",
            area: "Nominees", bound: Bound.ending,
            answer: .component(.takenDraft), repeatRight: .sight, problems: [.notFound]),
    ]

    /// The reasons why somebody may not invite or revoke.
    private static let manager: [ProblemCode] = nominee + [.vaultLocked]

    private static let answering: [ProblemCode] = [
        .invitationInvalid, .invitationExpired, .invitationUsed, .conflict,
    ]

    static let channel = JSONSchema.Property(
        "channel", .component(.invitationChannel), "How the invitation will be sent, for statistics.")

    /// The members of an invitee.
    static let invitee: [JSONSchema.Property] = [
        .init("name", .string(.line, length: 1...100), "Required."),
        .init(
            "phone", .nullable(.string(.anything, length: 0...100)),
            """
            In international format, or in the format of my own country. Somebody who accepts without having this \
            contact needs my confirmation.
            """
        ),
        .init(
            "email", .nullable(.string(.email, length: 3...254)),
            "Somebody who accepts without having this contact needs my confirmation."),
        .init("access_level", .component(.accessLevel), "The default is view."),
        .init(
            "emergency", .component(.newEmergencySettings),
            "The emergency access that comes with the invitation, if I am the vault's owner. The default is none.",
            example: .leftOut),
        channel,
    ]
}

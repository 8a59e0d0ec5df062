internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// Users, tokens and settings, for the tenant's server.
    static let users: [Endpoint] = [
        Endpoint(
            operationID: "createUser", method: .post, path: "/v1/users", caller: .key(scope: .users),
            work: .procedure(.write("api.put_user", .body, .now)),
            summary: "Create a user",
            details:
                """
                If there is a user with the same external_id, that user is updated and the answer is 200. To change \
                the contacts of a user who has verified one, the key needs the scope tokens as well, or all.
                """,
            area: "Users", bound: Bound.newUsers,
            body: newUser,
            answer: .component(.user), success: .created, successIfThere: .ok, repeatRight: .sight,
            problems: [.quotaExceeded]),
        Endpoint(
            operationID: "listUsers", method: .get, path: "/v1/users", caller: .key(scope: .users),
            work: .procedure(
                .read(
                    "api.list_users", .query("external_id", .text(.line), "Only the user with this external_id."),
                    .query(
                        "phone", .text(.writtenPhone),
                        "Only users with this phone number. In a query, + is written %2B."),
                    .query("email", .text(.email), "Only users with this e-mail address."), .limit, .cursor(.uuid))),
            summary: "List users",
            details: "Several users can have a phone number or an e-mail address that none of them has verified.",
            area: "Users", answer: .list(of: .user)),
        Endpoint(
            operationID: "getUser", method: .get, path: "/v1/users/{id}", caller: .key(scope: .users),
            work: .procedure(.read("api.get_user", .path("id", .uuid))),
            summary: "Get a user", area: "Users", answer: .component(.user), problems: [.notFound]),
        Endpoint(
            operationID: "updateUser", method: .patch, path: "/v1/users/{id}", caller: .key(scope: .users),
            work: .procedure(.write("api.update_user", .path("id", .uuid), .body, .now)),
            summary: "Update a user",
            details:
                """
                To change the contacts of a user who has verified one, the key needs the scope tokens as well, or \
                all.
                """,
            area: "Users", bound: Bound.rate, body: userChanges, answer: .component(.user),
            problems: [.notFound]),
        Endpoint(
            operationID: "deleteUser", method: .delete, path: "/v1/users/{id}", caller: .key(scope: .users),
            work: .procedure(.write("api.delete_user", .path("id", .uuid), vaultsOfEndedAccount, .now)),
            summary: "Delete a user's account", area: "Users", bound: Bound.once, success: .noContent,
            endedSignIns: .named,
            problems: [.notFound, .conflict]),
        Endpoint(
            operationID: "importUsers", method: .post, path: "/v1/users:import", caller: .key(scope: .users),
            work: .handler(LineImport.answerUsers),
            summary: "Create or update many users",
            details:
                """
                The body has one user on each line, and the answer one result on each line. A line has at most 16 \
                KiB. A body has at most 10,000 lines, or 1,000 with an Idempotency-Key, which makes the import one \
                transaction. Users with an external_id can be imported again. One whose account was deleted here is \
                a conflict: POST /v1/users makes them a new one.
                """,
            area: "Users", bound: Bound.newUsers,
            body: newUser, bodyType: .jsonLines, maximumBody: LineImport.maximumBody,
            answer: .component(.importResult), answerType: .jsonLines, repeatRight: .sight),
        Endpoint(
            operationID: "setSubscription", method: .put, path: "/v1/users/{id}/subscription",
            caller: .key(scope: .users),
            work: .procedure(.write("api.set_subscription", .path("id", .uuid), .body, .now)),
            summary: "Set the status of a receiver's subscription", area: "Users", bound: Bound.rate,
            body: .object([
                .init("status", .component(.subscriptionStatus), required: true),
                .init("expires_at", .nullable(.string(.instant))),
            ]),
            answer: .component(.subscription), problems: [.notFound, .profileRequired]),
        Endpoint(
            operationID: "mintToken", method: .post, path: "/v1/tokens", caller: .key(scope: .tokens),
            work: .handler(SignInHandlers.mintToken),
            summary: "Mint an access token for a user", area: "Users",
            bound: "The tenant's request rate. Nothing is stored.",
            body: .object([
                .init("user_id", .string(.uuid), required: true),
                .init("ttl_seconds", .integer(1...86400), "The token's lifetime. The default is 3,600."),
            ]),
            answer: .component(.accessToken), success: .created, answerHoldsSecret: true, repeatRight: .sight,
            problems: [.notFound]),
        Endpoint(
            operationID: "makeSignInLink", method: .post, path: "/v1/sign-in-links", caller: .key(scope: .tokens),
            work: .handler(SignInHandlers.makeLink),
            summary: "Make a link that signs a user in to the web client",
            details:
                """
                Make it when the person asks to be signed in, and redirect their browser to it at once. The page \
                shows whom it signs in, and does so once the person confirms.
                """,
            area: "Users", bound: "The tenant's request rate. Nothing is stored.",
            body: .object([
                .init("user_id", .string(.uuid), required: true),
                .init(
                    "next", .string(.line, length: 1...2000),
                    "The page after the sign-in, as sign_in_url was given it: a path of the web client.",
                    example: "/today"),
            ]),
            answer: .component(.signInLink), success: .created, answerHoldsSecret: true, repeatRight: .sight,
            problems: [.notFound]),
        Endpoint(
            operationID: "getTenant", method: .get, path: "/v1/tenant", caller: .key(scope: .settings),
            work: .procedure(.read("api.get_tenant")),
            summary: "Get the tenant's settings", area: "Tenant", answer: .component(.tenant)),
        Endpoint(
            operationID: "updateTenant", method: .patch, path: "/v1/tenant", caller: .key(scope: .settings),
            work: .procedure(.write("api.update_tenant", .body, .now)),
            summary: "Update the tenant's settings", area: "Tenant", bound: Bound.administration,
            body: .object(
                (tenantSettings + [brandMark]).map { .init($0.name, $0.schema, $0.summary, example: $0.example) }),
            answer: .component(.tenant)),
    ]

    /// The body for creating a user.
    static let newUser = JSONSchema.component(
        JSONComponent(
            name: "NewUser",
            schema: .object([
                .init("display_name", .string(.line, length: 1...100), required: true),
                .init("phone", .nullable(.string(.writtenPhone)), JSONSchema.phoneSummary),
                .init("email", .nullable(.string(.email, length: 3...254))),
                .init("time_zone", .string(.line, length: 1...64)),
                .init("locale", .string(.line, length: 2...35)),
                .init("external_id", .nullable(.string(.line, length: 1...200))),
            ])))

    /// The members of a profile that can be changed, by the user and by the tenant's server.
    static let userChanges = JSONSchema.object([
        .init("display_name", .nullable(.string(.line, length: 1...100))),
        .init("phone", .nullable(.string(.writtenPhone)), JSONSchema.phoneSummary),
        .init("email", .nullable(.string(.email, length: 3...254))),
        .init("time_zone", .string(.line, length: 1...64)),
        .init("locale", .string(.line, length: 2...35)),
    ])

    /// The mark as a request has it. Answers have the path of the picture instead.
    private static let brandMark = JSONSchema.Property(
        "brand_mark", .nullable(.string(.encoded, length: 1...49152)),
        """
        The picture beside the brand's name and on a Home Screen: a square PNG of 64 to 512 pixels on each side (192 and \
        more look sharp) and of at most 24 KiB, in base64. Null removes it; the path that getTenant answers changes \
        nothing.
        """, example: "iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQAAAACCEkxzAAAAD0lEQVR42mNgGAWjgHwAAAJAAAHgTR1EAAAAAElFTkSuQmCC"
    )

    /// The settings of a tenant that its server may change, as answers have them too.
    static let tenantSettings: [JSONSchema.Property] = [
        .init("name", .string(.line, length: 1...200), required: true, example: "Acme"),
        .init("brand_name", .string(.line, length: 1...80), required: true),
        .init(
            "brand_color", .nullable(.string(.line, length: 7...7)), required: true,
            """
            The colour of buttons and links on the pages, dark enough to be read on every panel; null for Kith's own. A refusal names a colour that would do.
            """, example: "#0842a0"),
        .init(
            "join_link", .nullable(.string(.line, length: 9...500)), required: true,
            "The https URL that invitations to connect lead to; null for this server's join page."),
        .init("allowed_origins", .array(of: .string(.line, length: 8...253), count: 0...100), required: true),
        .init("app_ids", .array(of: .string(.line, length: 1...200), count: 0...100), required: true),
        .init(
            "app_link", .nullable(.string(.line, length: 9...500)), required: true,
            "The URL for installing the app, which the join page links to."),
        .init(
            "sign_in_url", .nullable(.string(.line, length: 9...500)), required: true,
            """
            The https URL of your own sign-in, which the web client's sign-in links to with next in the query. It \
            leads back by POST /v1/sign-in-links.
            """
        ),
        .init(
            "join_redirects", .boolean, required: true,
            "Whether the join page leads to app_link at once instead of showing itself."),
        .init(
            "default_region", .nullable(.string(.line, length: 2...2)), required: true,
            "The country, such as DE, for phone numbers without a country code."),
        .init(
            "default_locale", .nullable(.string(.line, length: 2...35)), required: true,
            """
            The language (BCP 47) of people whose own language Kith does not have, and of new users without a \
            locale. Null for English.
            """
        ),
        .init("requires_subscription", .boolean, required: true),
        .init("requires_consent", .boolean, required: true),
        .init("sign_up_open", .boolean, required: true),
        .init("grace_minutes", .integer(5...719), required: true),
        .init("reminder_minutes", .integer(1...718), required: true),
        .init("subscription_grace_days", .integer(0...365), required: true),
        .init("session_maximum_minutes", .integer(5...10080), required: true),
        .init("invitation_days", .integer(1...90), required: true),
        .init(
            "link_scheme", .nullable(.string(.line, length: 3...50)), required: true,
            """
            The scheme of links that open the app, as in khandoba://nominee/invite. It must be the app's own, \
            preferably a reversed domain. Null for no such links.
            """
        ),
    ]
}

extension LimitChapter {
    static let people = LimitChapter(
        name: "people",
        limits: [
            Limit(
                "accounts of one tenant", "{0}", [.setting("user_quota")], "{quota_exceeded}",
                changedBy: [.setting("user_quota")], refusedIn: "sql/users/internal.users.sql",
                bounds: ["The tenant's user quota and request rate."]),
            .aDay(
                "changes by one user to their own data", "change", bounds: ["{0} changes per user per UTC day."]),
            .aDay(
                """
                changes by one user that all connected users, or all nominees of a vault, see: the name, ping times, breaks, \
                a vault's settings
                """, "broadcast",
                bounds: [
                    """
                    {0} changes per user per UTC day, of those that all connected people or all nominees of a vault can see.
                    """
                ]),
            .aDay(
                "returns of one user's ended sender or receiver profile, with its connections", "return",
                bounds: ["{0} returns of an ended profile per user per UTC day."]),
            .aDay(
                "feedback of one user", "feedback", bounds: ["{0} times per user per UTC day."]),
            Limit(
                "characters of feedback", "{0}", [.most("feedback_text_is_short", of: "char_length(text)")],
                "{validation_failed}", refusedIn: refusals),
            Limit(
                "devices of one user", "{0}", [LimitReading("sql/deliveries/api.devices.sql", "offset ([0-9]+)\n")],
                "the device seen longest ago is removed", bounds: ["{0} devices per user."]),
            Limit(
                "exports by one user at once, on one server", "{0}",
                [LimitReading(shared, "let exports = InFlightLimit\\(\\s+most: ([0-9]+)")], "{too_many_requests}",
                refusedIn: inFlight),
            Limit(
                "one-time codes to one address; a device from which its user has signed in before has a count of its own",
                "{0} an hour; by SMS {1} in 24 hours, by e-mail {2} in 24 hours",
                [
                    .code("codes_to_address_an_hour"), .setting("sms_codes_per_number_per_day"),
                    .code("emails_to_address_a_day"),
                ],
                "202 as usual, but nothing is sent", changedBy: [.setting("sms_codes_per_number_per_day")],
                bounds: ["{0} one-time codes per address per hour"]),
            Limit(
                "one-time codes by e-mail of one tenant", "{0} in a UTC day", [.code("emails_of_tenant_a_day")],
                "202 as usual, but nothing is sent; `admin.sign_in_codes` counts them"),
            Limit(
                "one-time codes by SMS of one tenant", "{0} in a UTC day to one country calling code, {1} in all",
                [.setting("sms_codes_per_country_per_day"), .setting("sms_codes_per_day")],
                "202 as usual, but nothing is sent; `admin.sign_in_codes` counts them",
                changedBy: [.setting("sms_codes_per_country_per_day"), .setting("sms_codes_per_day")]),
            Limit(
                "codes with which one user confirms new contacts", "{0} an hour", [.code("codes_of_user_an_hour")],
                "200 as usual, but nothing is sent", bounds: ["{0} codes per hour for new contacts"]),
            Limit(
                """
                tries of one-time codes, refused ones included; a device from which the address's user has signed in before \
                has a count of its own
                """, "{0} for each code, {1} an hour for each address over all codes, challenges and spellings",
                [.code("tries_of_code"), .code("tries_for_address_an_hour")], "{otp_invalid}",
                refusedIn: "sql/sign_in/api.sign_in.sql", bounds: ["{1} attempts per hour."]),
            .aDay(
                "refreshes of sign-ins by one user", "refresh",
                "{0} in a UTC day, and one a minute of each sign-in beyond",
                bounds: ["{0} times per user per UTC day."]),
        ])

    /// The files that enforce several limits.
    static let shared = "Sources/API/Server/SharedState.swift"
    static let rates = "Sources/API/Server/APIConfiguration.swift"
    static let limiters = "Sources/API/Server/Limits.swift"
    static let inFlight = "Sources/Requests/InFlightLimit.swift"
}

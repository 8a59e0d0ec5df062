package import JSON

extension JSONExample {
    /// The values of members in examples, by the member's name. Every example has the same people and things.
    ///
    /// Each member that is a free text or an opaque text needs an entry (a test checks that). Numbers and dates have
    /// one if the smallest value that the schema allows would look odd.
    package static let named: [String: JSONExample] = [
        "If-Match": "\"019aa5c4-2d31-7a90-b6c2-5e1f0a9d8b74\"",
        "If-None-Match": "\"019aa5c4-2d31-7a90-b6c2-5e1f0a9d8b74\"",
        "If-Range": "\"019aa5c4-2d31-7a90-b6c2-5e1f0a9d8b74\"",
        "Last-Event-ID": "1795255200000-48213-019aa5c4-2d31-7a90-b6c2-5e1f0a9d8b74",
        "Range": "bytes=0-999",
        "access_token": "eyJhbGciOiJIUzI1NiIsImtpZCI6IjAxOWFhNWMyIn0.eyJzdWIiOiIwMTlhYTVjMiJ9.c2lnbmF0dXJl",
        "algorithm": "EdDSA",
        "alias": "Mum",
        "allowed_origins": "https://app.example.com",
        "app_ids": "ABCDE12345.com.example.app",
        "app_link": "https://apps.apple.com/app/id123456789",
        "sign_in_url": "https://login.example.com/kith",
        "audience": "kith-acme",
        "audit_retention_days": 1095,
        "auth": "BTBZMqHH6r4Tts7J_aSIgg",
        "body": "Alice is now sending you pings",
        "brand_name": "Acme",
        "call": "019aa5c6-8f14-7b62-9e0d-4c7a1b53f2e8",
        "code_misses_per_hour": 5000,
        "completed": 1,
        "completed_at": .null,
        "connection_id": "019aa5c3-1b20-7c55-a4e1-08d7f92b6c13",
        "cursor": "019aa5c3-1b20-7c55-a4e1-08d7f92b6c13",
        "data": .json(
            #"{"connection_id":"019aa5c3-1b20-7c55-a4e1-08d7f92b6c13","about":{"type":"connection","id":"019aa5c3-1b20-7c55-a4e1-08d7f92b6c13"}}"#
        ),
        "deep_link":
            "khandoba://nominee/invite?token=7c0f1d52-3b9e-4a86-9d27-5e81f0c4b6a3&vault=Family%20papers&status=accepted",
        "default_locale": "de",
        "default_region": "DE",
        "delivery_retention_days": 30,
        "display_name": "Alice",
        "environment": "production",
        "expires_in": 3600,
        "expires_in_seconds": 86400,
        "external_id": "alice-1",
        "from": "22:00",
        "grace_minutes": 90,
        "history_retention_days": 1095,
        "invitation_days": 7,
        "join_link": "https://example.com/join",
        "issuer": "https://id.example.com",
        "kid": "2026-11",
        "last_check_in_note": "All well, at home",
        "last_error": "The endpoint answered 503.",
        "link_scheme": "khandoba",
        "last_event_id": "1795255200000-48213-019aa5c4-2d31-7a90-b6c2-5e1f0a9d8b74",
        "locale": "de-DE",
        "message":
            """
        Alice wants to send you daily pings on Acme to let you know they're safe. Download the app and use code \
        482915 to connect: https://example.com/join
        """,
        "name": "Bob",
        "next_cursor": "019aa5c3-1b20-7c55-a4e1-08d7f92b6c13",
        "note": "All well, at home",
        "notification_retention_days": 365,
        "open_pings": 1,
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "pending_email": .null,
        "pending_phone": .null,
        "permanent": true,
        "phone": "+4915112345678",
        "phone_verified": true,
        "ping_retention_days": 730,
        "pings_stop_at": .null,
        "private_key": """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgpmlVL0N088YS0DIh
        1D6bT+34rGGOIT83B04/t8YwR0ahRANCAARp/cuSgYd0+9VXoPavM1o1g+iVIvOY
        UgBF7gOoYh6GlirwhvVmsIBJScnPlkIFoRDsKGupLvfp0I7D7mT4NdYd
        -----END PRIVATE KEY-----

        """,
        "public_key": """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
        -----END PUBLIC KEY-----

        """,
        "read_at": .null,
        "recipient_count": 1,
        "receiver_id": "019aa5c2-7f10-7e44-8d02-91c4b6a8e3f7",
        "refresh_token": "kith_rt_Zm9yLW9uZS11c2Utb25seQ",
        "reminder_minutes": 15,
        "retention_days": 730,
        "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
        "sender_id": "019aa5c2-6a40-7d3b-9c11-3f0e8b7a52d4",
        "sent_at": .null,
        "session_maximum_minutes": 720,
        "sign_up_open": true,
        "slug": "acme",
        "sms_codes_per_country_per_day": 2000,
        "sms_codes_per_day": 5000,
        "sms_codes_per_number_per_day": 10,
        "sms_invitations_per_day": 1000,
        "sms_notifications_per_user_per_day": 20,
        "sms_url": "sms:+4915112345678?&body=Use%20code%20482915",
        "status": "active",
        "subscription_expires_at": .null,
        "subscription_grace_days": 14,
        "suspended_reason": .null,
        "t": "acme",
        "text": "It was easy to invite my sister.",
        "time_zone": "Europe/Berlin",
        "title": "New Connection",
        "token": "3f1a9c0e5b7d4a628e9f0c1b2d3a4e5f60718293a4b5c6d7e8f9010203040506",
        "ttl_seconds": 3600,
        "type": "connection_request",
        "universal_link_host": "example.com",
        "unread_count": 1,
        "until": "07:00",
        "X-Kith-Tenant": "acme",
        "url": "https://example.com/join?code=482915",
        "user_quota": 1_000_000,
        "vault_quota_mib": 1024,
        "user_id": "019aa5c2-6a40-7d3b-9c11-3f0e8b7a52d4",
    ]
}

import KithClient
import SwiftUI

#Preview("A check-in") {
    SenderView(
        .preview([
            "checkIn": .json(#"{"completed": 1, "late": 0, "pings": []}"#),
            "getHome": .json(home),
            "streamEvents": .events([]),
        ]))
}

/// Somebody who is not a sender yet, as `GET /v1/home` answers.
private let home = """
    {
      "me": {
        "id": "019aa5c2-6a40-7d3b-9c11-000000000001", "external_id": null, "display_name": "Alice", "phone": null,
        "email": null, "phone_verified": false, "email_verified": false, "pending_phone": null, "pending_email": null,
        "time_zone": "UTC", "locale": "en", "created_at": "2026-11-01T09:00:00Z"
      },
      "sender": null, "receiver": null, "vaults": {"items": [], "next_cursor": null}, "unread_count": 0,
      "unread_messages": 0, "last_event_id": "preview-0", "alarms": [],
      "waiting": {
        "emergency_requests": [], "confirmations": [], "connections": [],
        "invitations": {"items": [], "next_cursor": null}
      }
    }
    """

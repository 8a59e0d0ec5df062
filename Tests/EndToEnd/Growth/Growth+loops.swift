extension Growth {
    /// How the work of each loop of the worker may grow. A new loop needs an entry; a test checks that.
    static let loops: [String: Growth] = [
        // Pings
        "turn_breaks": .batch,
        "settle_subscriptions": .batch,
        "generate_daily_pings": .batch,
        "announce_due_pings": .batch,
        "remind_senders": .batch,
        "miss_pings": .batch,
        "find_gaps": .batch,
        "note_current_pings": .batch,

        // Alarms and emergencies
        "tell_alarms": .batch,
        "walk_canaries": .batch,
        "begin_emergency_waits": .batch,
        "tell_emergencies": .batch,

        // Deliveries
        "plan_alarms": .batch,
        "plan_deliveries": .batch,
        "claim_deliveries": .batch,
        "finish_deliveries": .batch,
        "drop_expired_deliveries": .batch,
        "give_up_deliveries": .batch,
        "alarm_operator": .batch,

        // Vaults
        "lock_expired_sessions": .batch,

        // Upkeep
        "make_partitions": .batch,
        "drop_partitions": .batch,
        "analyze_tables": .batch,
        "sweep_sign_in": .batch,
        "sweep_answers": .batch,
        "sweep_invitations": .batch,
        "sweep_vault_invitations": .batch,
        "sweep_vaults": .batch,
        "sweep_uploads": .batch,
        "sweep_alarms": .batch,
        "sweep": .batch,
        "end_readers": .batch,
        "sample_disk": .batch,
        "expire_rows": .batch,
    ]
}

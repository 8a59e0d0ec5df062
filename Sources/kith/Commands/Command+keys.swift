internal import API
internal import Crypto
internal import Identity
internal import Postgres

extension Command {
    static let keys = Command(
        name: "keys", usage: "rotate",
        summary:
            """
            Rotates the master key while everything runs: makes a new one, and reseals with it what the old one \
            sealed, in all cells.
            """
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        guard try arguments.positional("the subcommand: rotate") == "rotate" else {
            throw CommandError("keys takes rotate", status: 64)
        }
        try arguments.finish()
        guard configuration.cell == nil else {
            throw CommandError("the cells have one master key, so kith keys rotate takes no --cell", status: 64)
        }
        // Use the owner's role, because no other role may read the keys, even sealed.
        let database = try Database(configuration)
        // While a cell is away, nothing is rotated: its keys would be lost with the old master key.
        let sessions = try database.sessionsInEveryCell(role: "kith_owner").map(\.session)
        let main = sessions[0]
        // Two rotations at once take turns, and the second finds nothing left to do.
        _ = try main.query("select pg_advisory_lock(hashtext('kith keys rotate'))")
        let old = try configuration.loadMasterKey()
        for session in sessions {
            if let objection = try SealedKeys.objection(to: old, session) { throw CommandError(objection, status: 78) }
        }
        let moves = try main.query("select slug from kith.tenant_moves order by slug limit 1")
        if let slug = moves.rowCount > 0 ? moves.string(0, 0) : nil {
            throw CommandError(
                """
                \(slug) is being moved to another cell, with keys that would be missed, so nothing was changed: run this \
                again when kith tenant move is over
                """, status: 75)
        }
        let isNew = old.count == 1
        if isNew { try makeKey(behind: old, configuration) }
        let outcome = try SealedKeys.resealAll(with: configuration.loadMasterKey(), isNew: isNew, sessions)
        _ = try main.query(
            """
            select internal.record_act(
              0, internal.operator(), 'master_key.rotate', null, jsonb_build_object('resealed', $1::integer, 'kept', $2::integer)
            )
            """, [.int(outcome.resealed), .int(outcome.kept)])
        print("sealed \(outcome.resealed) keys with the new master key; \(outcome.kept) were sealed with it already")
        let end = try main.query("select internal.shown_instant(date_trunc('second', now()) + interval '1 day')")
        print(
            """
            Remove the old one from \(configuration.masterKeyFile ?? "KITH_MASTER_KEY") after \(end.string(0, 0) ?? ""), not \
            before: answers kept for repeated requests and waiting messages are still sealed with it.
            """)
    }

    /// Puts a new key in front of the one in the file.
    private static func makeKey(behind old: MasterKey, _ configuration: Configuration) throws {
        guard let path = configuration.masterKeyFile else {
            throw CommandError(
                "KITH_MASTER_KEY holds one key: give every server and worker first \"old,new\", then \"new,old\","
                    + " and then run this with \"new,old\" (deploy/README.md, The master key)", status: 78)
        }
        try configuration.replace(path, by: old.renewed().text)
        print("made a new master key, the first in \(path)")
    }
}

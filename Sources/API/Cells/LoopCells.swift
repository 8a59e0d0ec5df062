internal import EventLoop
internal import Logging
public import Postgres

/// The cells that an event loop can send requests to, as the map names them: the directory, and each other cell whose
/// database has proved to be the one in the map.
///
/// `@unchecked Sendable`: confined to the loop's thread, as the router is that has it.
public final class LoopCells: @unchecked Sendable {
    /// The API server of a cell beside the directory.
    ///
    /// `@unchecked Sendable`: confined to the loop's thread, as ``LoopCells`` is.
    final class Server: @unchecked Sendable {
        let cell: CellMap.Cell
        let pool: PostgresPool
        let api: APIServer
        /// Whether the database has proved to be the one in the map.
        fileprivate(set) var isProved = false

        init(_ cell: CellMap.Cell, _ pool: PostgresPool, _ api: APIServer) {
            self.cell = cell
            self.pool = pool
            self.api = api
        }
    }

    /// A cell that can be asked.
    struct Cell {
        let name: String
        let pool: PostgresPool
        let api: APIServer
    }

    /// The directory's connections and API server.
    let pool: PostgresPool
    let directory: APIServer
    private(set) var map = CellMap()
    /// Whether the directory has answered, with a map or with none.
    private(set) var isKnown = false
    private let proof: CellProof
    private var servers: [String: Server] = [:]

    init(directory: APIServer, pool: PostgresPool, _ proof: CellProof) {
        self.directory = directory
        self.pool = pool
        self.proof = proof
        directory.status.others = { [weak self] in self?.servers.values.map { $0.isProved ? $0.api.status : nil } ?? []
        }
    }

    // MARK: - The map

    /// Uses another map. `make` makes the pool and the API server of a cell that is new, and is not called for the
    /// directory. Returns the pools of cells that are gone.
    public func use(
        _ map: CellMap, make: (CellMap.Cell) throws -> (pool: PostgresPool, api: APIServer)
    ) -> [PostgresPool] {
        pool.loop.preconditionCurrent()
        self.map = map
        isKnown = true
        var kept: [String: Server] = [:]
        for cell in map.cells.dropFirst() {
            if let server = servers[cell.name], server.cell == cell {
                kept[cell.name] = server
                continue
            }
            do {
                let made = try make(cell)
                made.pool.start()
                let server = Server(cell, made.pool, made.api)
                kept[cell.name] = server
                prove(server)
            } catch {
                Log.error("a cell cannot be used", ["cell": cell.name, "reason": "\(error)"])
            }
        }
        for (tenant, former) in map.moved { api(of: former)?.endStreams(of: tenant) }
        let gone = servers.values.filter { kept[$0.cell.name] !== $0 }.map(\.pool)
        servers = kept
        return gone
    }

    /// The cells that have proved to be those in the map, the directory first.
    var proved: [Cell] { map.cells.compactMap { cell(named: $0.name) } }

    /// The cell with this name; nil if there is none, or if it has not proved to be the one in the map.
    func cell(named name: String) -> Cell? {
        if name == map.cells.first?.name { return first }
        guard let server = servers[name], server.isProved else { return nil }
        return Cell(name: name, pool: server.pool, api: server.api)
    }

    /// The cell with this name, if it can be asked now.
    func readyCell(named name: String) -> Cell? { cell(named: name).flatMap { $0.pool.isReady ? $0 : nil } }

    /// The directory, which also answers what is of no tenant.
    var first: Cell { Cell(name: map.cells.first?.name ?? "", pool: pool, api: directory) }

    /// The directory, or while it is away the first cell that can be asked.
    var firstReady: APIServer { pool.isReady ? directory : proved.first { $0.pool.isReady }?.api ?? directory }

    /// The API servers of this loop by the names of their cells, without the directory's.
    public var others: [String: APIServer] { servers.mapValues(\.api) }

    /// The API server of a cell; nil if there is none, or if it has not proved to be the one in the map.
    public func api(of cell: String) -> APIServer? { self.cell(named: cell)?.api }

    /// The pools of the other cells that have proved to be those in the map, by their names.
    var otherProvedPools: [String: PostgresPool] { servers.filter(\.value.isProved).mapValues(\.pool) }

    /// Whether each cell can be reached from this loop, in the order of the map.
    public var states: [(cell: String, isUp: Bool)] {
        map.cells.enumerated().map { index, cell in
            guard index > 0 else { return (cell.name, pool.isReady) }
            return (cell.name, servers[cell.name].map { $0.isProved && $0.pool.isReady } ?? false)
        }
    }

    /// All pools beside the directory's.
    public var otherPools: [PostgresPool] { servers.values.map(\.pool) }

    // MARK: - Proofs

    /// Asks a cell's database what it is until it answers, and every 10 seconds from then on. Nothing else is sent
    /// there before it has proved to be the one in the map, has this program's schema, runs sessions as `kith_api`,
    /// which the policies confine, and has nothing that the master key does not open.
    private func prove(_ server: Server) {
        let pool = server.pool
        pool.loop.spawn { [weak self] in
            var complaint: String?
            while let self, self.servers[server.cell.name] === server {
                let verdict = await self.proof.verdict(on: server)
                switch verdict {
                case .holds:
                    if !server.isProved { Log.info("a cell is in use", ["cell": server.cell.name]) }
                    server.isProved = true
                    complaint = nil
                case .fails(let reason), .isAway(let reason):
                    // A cell that is merely away is still the one that it was.
                    if case .fails = verdict { server.isProved = false }
                    if reason != complaint, !server.isProved {
                        Log.error("a cell cannot be used", ["cell": server.cell.name, "reason": reason])
                    }
                    complaint = reason
                }
                try? await pool.loop.sleep(for: server.isProved ? .seconds(10) : .seconds(1))
            }
        }
    }
}

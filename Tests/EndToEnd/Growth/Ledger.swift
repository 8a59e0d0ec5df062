import Foundation

/// The checked-in table of what each operation of the API and each loop of the worker does in the database,
/// `Tests/Growth/ledger.tsv`. A change that makes a call dearer changes its line, so its price stands in its own diff.
enum Ledger {
    private static let file = Tool.tests.appending(path: "Growth/ledger.tsv")
    private static let head = "operation or loop\tbuffers\tstatements\trows written\tWAL bytes"

    static func read() throws -> [String: Work] {
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
        return try Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let cells = line.split(separator: "\t")
                let figures = cells.dropFirst().compactMap { Int($0) }
                guard figures.count == 4 else {
                    throw KithProcess.Failure(description: "ledger.tsv has the line \(line)")
                }
                return (
                    String(cells[0]),
                    Work(buffers: figures[0], statements: figures[1], rowsWritten: figures[2], walBytes: figures[3])
                )
            })
    }

    /// The figures of an operation or loop that are larger than in its line.
    static func excess(of work: Work, in name: String, over ledger: [String: Work], inBatch: Bool) -> [String] {
        work.figures(
            above: ledger[name] ?? work, inBatch: inBatch, afterWorker: OperationWork.needsWorker.contains(name))
    }

    /// Writes it, in the order of the names, where operations come before loops.
    static func write(operations: [String: Work], loops: [String: Work]) throws {
        let lines = [operations, loops].flatMap { works in
            works.sorted { $0.key < $1.key }.map { name, work in
                "\(name)\t\(work.buffers)\t\(work.statements)\t\(work.rowsWritten)\t\(work.walBytes)"
            }
        }
        try ([head] + lines).map { $0 + "\n" }.joined().write(to: file, atomically: true, encoding: .utf8)
    }
}

extension Work {
    /// The figures that are larger than in a line of the ledger by more than a twentieth and what differs from run to
    /// run: a page for each second statement, because a table of the small crowd may have one more; the share of an
    /// item in a batch, which depends on which items met; the index entries of an updated row that did not fit into
    /// its page, of a call for one row and of a batch for each; and as much again where the worker ran before, because
    /// what it leaves behind depends on its time.
    func figures(above line: Work, inBatch: Bool, afterWorker: Bool) -> [String] {
        let updates = inBatch ? max(line.rowsWritten, 1) : 1
        func margin(_ before: Int, _ margin: Int) -> Int { afterWorker ? before : margin }
        let figures = [
            ("buffers", buffers, line.buffers, margin(line.buffers, 3 + line.statements / 2)),
            ("statements", statements, line.statements, margin(line.statements, inBatch ? 3 : 0)),
            ("rows written", rowsWritten, line.rowsWritten, margin(line.rowsWritten, inBatch ? 1 : 0)),
            ("bytes of WAL", walBytes, line.walBytes, margin(line.walBytes, 200 * updates)),
        ]
        return figures.compactMap { name, now, before, margin in
            now > before + before / 20 + margin ? "\(name): \(before) in the ledger, \(now) now" : nil
        }
    }
}

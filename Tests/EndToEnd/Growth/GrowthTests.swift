import Foundation
import TestThreads
import Testing

@testable import Worker

/// What a call or a loop does in the database, beside few other people of a tenant and beside many. One test at a time,
/// because they share the crowds.
@Suite(.mayBlock, .serialized) struct `The work of a call` {
    private static let few = Result { try CrowdHouse(people: 100) }
    private static let many = Result { try CrowdHouse(people: 2000) }

    /// The work of each operation beside few people.
    private static let operations = Task {
        var works: [String: MeasuredWork] = [:]
        var calls = try await OperationWork(few.get(), .current)
        let ledger = try Ledger.read()
        for operation in calls.operations {
            works[operation.id] = try await calls.least(of: operation) {
                Ledger.excess(of: $0, in: operation.id, over: ledger, inBatch: false).isEmpty
            }
        }
        return works
    }

    /// The work of each loop beside few people.
    private static let loops = Task {
        _ = try await operations.value
        return try await LoopWork(few.get(), .current).least()
    }

    @Test(arguments: CrowdHouse.Statistics.allCases)
    func `does not grow with the people of its tenant`(_ statistics: CrowdHouse.Statistics) async throws {
        let before = try await Self.operations.value
        var calls = try await OperationWork(Self.many.get(), statistics)
        #expect(Set(calls.operations.map(\.id)) == Set(Growth.operations.keys))
        for operation in calls.operations {
            let few = try #require(before[operation.id])
            let many = try await calls.least(of: operation) { $0.isWithin(few.work.largest) }
            Self.expect(many, beside: few, of: operation.id, statistics)
        }
    }

    @Test(arguments: CrowdHouse.Statistics.allCases)
    func `of the worker's loops is that of their batches`(_ statistics: CrowdHouse.Statistics) async throws {
        let known = WorkerLoop.known.map(\.name) + [LoopWork.claim, LoopWork.finish]
        #expect(Set(known) == Set(Growth.loops.keys))
        let before = try await Self.loops.value
        let after = try await LoopWork(Self.many.get(), statistics).least()
        for (batch, many) in after.sorted(by: { ($0.key.loop, $0.key.moment) < ($1.key.loop, $1.key.moment) }) {
            // With fewer people, a loop may have found nothing to do.
            guard let few = before[batch] else { continue }
            let idle = before.first { $0.key.loop == "\(batch.loop), nothing to do" }?.value.work
            Self.expect(many, beside: few, of: batch.loop, at: batch.moment, idle: idle, statistics)
        }
    }

    /// `make ledger` writes the figures of now.
    @Test func `is what the ledger says`() async throws {
        let operations = try await Self.operations.value
        let batches = try await Self.loops.value
        let loops = Dictionary(
            batches.sorted { $0.key.moment < $1.key.moment }.map { ($0.key.loop, $0.value) }
        ) { $0.least($1) }
        if ProcessInfo.processInfo.environment["KITH_WRITE_LEDGER"] != nil {
            try Ledger.write(operations: operations.mapValues(\.work), loops: loops.mapValues(\.work))
        }
        let ledger = try Ledger.read()
        let now = operations.merging(loops) { $1 }
        #expect(Set(ledger.keys) == Set(now.keys), "`make ledger` writes the lines anew")
        for (name, measured) in now.sorted(by: { $0.key < $1.key }) {
            let excess = Ledger.excess(of: measured.work, in: name, over: ledger, inBatch: loops[name] != nil)
            #expect(
                excess.isEmpty,
                """
                \(name) does more than before (`make ledger` if that is meant): \(excess)
                \(measured.statements.joined(separator: "\n"))
                """)
        }
    }

    @Test func `is seen to grow where missed pings are searched`() async throws {
        let few = try #require(try await Self.operations.value["getDashboard"]).work
        let many = try await Self.work(of: "getDashboard", in: Self.many.get(), with: "missed_pings")
        #expect(!many.isWithin(few.largest), "\(few) beside few people, \(many) beside many")
    }

    /// The plan that does this needs tables with few rows: from some thousand on, even a planner that knows none of
    /// them finds another one.
    @Test func `is seen to grow where a block searches all vaults`() async throws {
        let mended = try #require(try await Self.operations.value["blockUser"]).work
        let former = try await Self.work(of: "blockUser", in: Self.few.get(), with: "put_block")
        #expect(!former.isWithin(mended.largest), "\(mended) as it is, \(former) as it was")
    }

    /// The work of an operation with the functions of a file of `Tests/Growth`, when the planner knows nothing.
    private static func work(of id: String, in crowd: CrowdHouse, with file: String) async throws -> Work {
        var calls = try await OperationWork(crowd, .none)
        try crowd.replaceFunctions(by: file)
        let operation = try #require(calls.operations.first { $0.id == id })
        return try await calls.least(of: operation).work
    }

    private static func expect(
        _ many: MeasuredWork, beside few: MeasuredWork, of name: String, at moment: String? = nil, idle: Work? = nil,
        _ statistics: CrowdHouse.Statistics
    ) {
        let figures = """
            \(name)\(moment.map { " at \($0)" } ?? ""), with \(statistics) statistics: \(few.work) beside few people, \(many.work) beside many
            \(many.statements.joined(separator: "\n"))
            """
        guard let exception = Growth.exceptions[name], exception.statistics.contains(statistics) else {
            var largest = few.work.largest
            // Shares of a batch are rounded up, and a batch as a whole costs about what one costs that finds nothing,
            // which weighs more where there are few items. Its statements are about as many, however many items it has.
            // An index into which a row is entered may have one more level.
            if moment != nil {
                largest.statements += 1 + (idle?.statements ?? 0) / many.items
                largest.statements += few.work.statements * max(few.items - many.items, 0) / many.items
                largest.buffers += 2 + few.work.rowsWritten + (idle?.buffers ?? 0) / many.items
            }
            #expect(many.work.isWithin(largest), "\(figures)")
            return
        }
        #expect(many.work.buffers <= few.work.buffers * exception.times, "\(figures)")
    }
}

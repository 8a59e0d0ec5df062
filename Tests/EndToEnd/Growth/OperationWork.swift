import Foundation
import Testing

/// Makes the calls of the API in a crowd, and reads what each of them does in the database.
struct OperationWork {
    private let meter: WorkMeter
    private let house: SignInHouse
    private let api: OpenAPI
    /// The people of the calls that change nothing.
    private var readers: DocumentedStage

    /// The operations whose preparation waits for a code that the worker sends.
    static let needsWorker: Set = ["refreshTokens", "signIn", "verifyContact"]

    /// Starts a server whose plans are made with these statistics.
    init(_ crowd: CrowdHouse, _ statistics: CrowdHouse.Statistics) async throws {
        house = try crowd.serve(statistics)
        meter = try WorkMeter(crowd.installation)
        api = try await OpenAPI(house.client)
        readers = try await DocumentedStage(house, api)
    }

    var operations: [OpenAPI.Operation] { api.operations.filter { !Growth.unmeasured.contains($0.id) } }

    /// The least work of some calls of an operation: of two, since the first one also makes the plans; and of up to
    /// three more as long as it is not enough, because one may have met a page that was full.
    mutating func least(
        of operation: OpenAPI.Operation, until isEnough: (Work) -> Bool = { _ in true }
    ) async throws -> MeasuredWork {
        var least: MeasuredWork?
        for call in 1...5 {
            if call > 2, let least, isEnough(least.work) { return least }
            // People of their own, because each preparation makes the lists of those who read longer.
            let work = try await call > 2 ? workOfNewcomers(operation) : work(of: operation)
            let measured = MeasuredWork(work: work, statements: try meter.statements())
            least = least?.least(measured) ?? measured
        }
        return try #require(least)
    }

    private mutating func work(of operation: OpenAPI.Operation) async throws -> Work {
        // Those who read stay the same, as long as they may still do what a call needs.
        let isRead = operation.method == "GET"
        if isRead, let work = try? await work(of: operation, by: readers) { return work }
        let stage = try await DocumentedStage(house, api)
        if isRead { readers = stage }
        return try await work(of: operation, by: stage)
    }

    private func workOfNewcomers(_ operation: OpenAPI.Operation) async throws -> Work {
        try await work(of: operation, by: DocumentedStage(house, api))
    }

    private func work(of operation: OpenAPI.Operation, by stage: DocumentedStage) async throws -> Work {
        let call = try await prepare(operation, stage)
        let (answer, work) = try await meter.work { try await call.send(house.client) }
        guard (200...399).contains(answer.status) else {
            throw KithProcess.Failure(description: "\(operation.id): \(answer.status) \(answer.text)")
        }
        return work
    }

    private func prepare(_ operation: OpenAPI.Operation, _ stage: DocumentedStage) async throws -> DocumentedCall {
        guard Self.needsWorker.contains(operation.id) else { return try await stage.call(operation) }
        house.worker.signal(SIGCONT)
        defer { house.worker.signal(SIGSTOP) }
        return try await stage.call(operation)
    }
}

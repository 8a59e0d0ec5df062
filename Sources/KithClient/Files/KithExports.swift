public import Foundation

extension Kith {
    /// Loads everything that Kith holds about the person who is signed in into a file of JSON, in constant memory.
    ///
    /// - Parameters:
    ///   - file: Where the export goes. A file that is there is replaced when the export is complete.
    ///   - progress: Is told how much has arrived. The total is not known.
    /// - Throws: ``KithProblem``; an error of the file system; `CancellationError`.
    public func exportAccount(
        to file: URL, progress: @escaping @Sendable (KithProgress) -> Void = { _ in }
    ) async throws {
        try await load(KithCalls.exportMe(), to: file, progress)
    }

    /// Loads an answer into a file. It has no ETag, so a second attempt begins anew.
    fileprivate func load(
        _ call: KithCall<Data>, to file: URL, _ progress: @escaping @Sendable (KithProgress) -> Void
    ) async throws {
        let caller = try streamingCaller
        // The next person's sign-in must not go on with it.
        let signIn = http?.sessions.credentials?.signIn
        let download = FileDownload(
            open: { _, _ in try await caller.open(call, as: signIn) }, sleep: { try await Task.sleep(for: $0) },
            file: file,
            progress: progress)
        do {
            try await download.run()
        } catch let error as URLError {
            throw KithProblem(error)
        }
    }
}

extension KithVault {
    /// The history of the vault, newest first. Only its owner reads it.
    public var history: KithItems<Kith.VaultEventPage> {
        let (api, id) = (kith.api, id)
        return KithItems { try await api.listVaultHistory(vaultID: id, cursor: $0) }
    }

    /// Loads the whole history of the vault into a file of comma-separated values (RFC 4180), in constant memory.
    ///
    /// - Parameters:
    ///   - file: Where the table goes. A file that is there is replaced when the table is complete.
    ///   - progress: Is told how much has arrived. The total is not known.
    /// - Throws: ``KithProblem``; an error of the file system; `CancellationError`.
    public func exportHistory(
        to file: URL, progress: @escaping @Sendable (KithProgress) -> Void = { _ in }
    ) async throws {
        try await kith.load(KithCalls.listVaultHistoryAsCSV(vaultID: id), to: file, progress)
    }
}

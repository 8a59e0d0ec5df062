public import Foundation

/// The documents of one vault.
public struct KithDocuments: Sendable {
    let vault: KithVault

    /// The most bytes that a document's content has: 25 MiB. The server takes no more.
    public static let maximumSize = 25 << 20

    /// Loads a document's content into a file, in constant memory. If the connection is lost, the part that has arrived
    /// is kept beside the file, and the next call, also in a later launch, resumes there.
    ///
    /// - Parameters:
    ///   - id: The document's id.
    ///   - file: Where the content goes. A file that is there is replaced when the content is complete.
    ///   - sha256: The document's `sha256`. The content is compared with it.
    ///   - progress: Is told how much has arrived. It begins again if the content changes meanwhile.
    /// - Throws: ``KithProblem``, also `vault_locked`, `not_found`, and `content_damaged` if the content has another
    ///   digest; an error of the file system; `CancellationError`.
    public func download(
        _ id: UUID, to file: URL, sha256: String? = nil, progress: @escaping @Sendable (KithProgress) -> Void = { _ in }
    ) async throws {
        let caller = try vault.kith.streamingCaller
        // The next person's sign-in must not go on with it.
        let signIn = vault.kith.http?.sessions.credentials?.signIn
        let vault = vault.id
        let download = FileDownload(
            open: { first, tag in
                var headers: [(name: String, value: String)] = []
                if let tag, first > 0 { headers = [("Range", "bytes=\(first)-"), ("If-Range", tag)] }
                var call = KithCalls.downloadDocument(vaultID: vault, documentID: id)
                call.headers = headers
                return try await caller.open(call, as: signIn)
            },
            sleep: { try await Task.sleep(for: $0) }, file: file, sha256: sha256, progress: progress)
        do {
            try await download.run()
        } catch let error as URLError {
            throw KithProblem(error)
        }
    }

    /// Adds a file of at most ``maximumSize`` bytes to the vault. A larger one is refused before anything is sent.
    ///
    /// Apple's systems send it in constant memory. Linux reads it into memory first.
    ///
    /// - Parameters:
    ///   - file: The file. It must not change until the call returns.
    ///   - name: The document's name; the file's name if it is nil.
    ///   - type: The media type of the content, such as `application/pdf`.
    ///   - progress: Is told how much has been sent. It begins again when the connection is lost.
    /// - Returns: The document.
    /// - Throws: ``KithProblem``, also `vault_locked`, `quota_exceeded` and `payload_too_large`; an error of the file
    ///   system; `CancellationError`.
    @discardableResult
    public func upload(
        file: URL, name: String? = nil, type: String = "application/octet-stream",
        progress: @escaping @Sendable (KithProgress) -> Void = { _ in }
    ) async throws -> Kith.Document {
        let total =
            (try FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path)[.size] as? NSNumber)?
            .int64Value
        if let total, total > Self.maximumSize { throw KithProblem.documentTooLarge }
        let call = KithCalls.createDocument(
            vaultID: vault.id, name: name ?? file.lastPathComponent, content: .content(Data(), type: type))
        let answer = try await vault.kith.streamingCaller.open(call, as: nil, uploading: file) { sent in
            progress(KithProgress(completed: sent, total: total))
        }
        return try call.decode(try await answer.whole())
    }
}

extension KithProblem {
    /// A file has more bytes than a document can have. The server refuses it with the same code and words.
    static let documentTooLarge = KithProblem(
        code: .payloadTooLarge, status: nil,
        detail: "A document's content has at most \(KithDocuments.maximumSize >> 20) MiB.", retryable: false,
        retryAfter: nil, requestID: nil, errors: [])
}

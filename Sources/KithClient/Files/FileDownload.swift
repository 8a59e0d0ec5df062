import Foundation

/// Loads a content into a file piece by piece, and resumes where an earlier attempt ended, also one of an earlier
/// launch.
///
/// What has arrived lies beside the file, under a name with the content's ETag. The file itself appears when it is
/// complete.
struct FileDownload: Sendable {
    /// Opens the content from a byte on, if it still has the ETag, and otherwise from its beginning.
    let open: @Sendable (_ first: Int64, _ tag: String?) async throws -> StreamedAnswer
    /// Waits before another attempt.
    let sleep: @Sendable (Duration) async throws -> Void
    let file: URL
    /// The content's SHA-256 in hexadecimal digits, if it is known.
    var sha256: String?
    let progress: @Sendable (KithProgress) -> Void

    /// The attempts without a byte after which the error is thrown.
    private static let mostFailures = 5
    private static let suffix = ".kith-part"
    /// The most bytes that are awaited before they are written.
    private static let largestPiece = 256 << 10
    /// After so many bytes the system is told to write them to the disk, so that the end waits only for the last.
    private static let stretch: Int64 = 8 << 20

    /// Loads the content.
    ///
    /// - Throws: The refusal; after some attempts, what ended the last connection; ``KithProblem`` `content_damaged` if
    ///   the content has another digest than `sha256`; an error of the file system; `CancellationError`. What has
    ///   arrived stays for the next time.
    func run() async throws {
        var failures = 0
        while true {
            let before = part()?.size ?? 0
            do {
                guard try await attempt() else { continue }
                return
            } catch is ByteStream.Overrun {
                // The disk was slow. It has taken what arrived, so the rest follows at once.
                try Task.checkCancellation()
                continue
            } catch let error as URLError {
                failures = (part()?.size ?? 0) > before ? 1 : failures + 1
                guard failures < Self.mostFailures else { throw error }
            }
            try Task.checkCancellation()
            try await sleep(.seconds(1 << (failures - 1)))
        }
    }

    /// Makes one request and takes what it brings.
    ///
    /// - Returns: Whether the file is complete. If not, the part that was there is of no use and has been removed.
    private func attempt() async throws -> Bool {
        let known = part()
        let answer: StreamedAnswer
        do {
            answer = try await open(known?.size ?? 0, known?.tag)
        } catch let problem as KithProblem where problem.status == 416 && known != nil {
            remove(known)
            return false
        }
        defer { answer.body.cancel() }
        let first = answer.status == 206 ? Self.first(of: answer.headers["content-range"]) : 0
        guard let first, first == 0 || (first == known?.size && answer.headers["etag"] == known?.tag) else {
            remove(known)
            return false
        }
        if first == 0 { remove(known) }
        let part = name(of: answer.headers["etag"])
        if first == 0 { try Data().write(to: part) }
        let total = answer.headers["content-length"].flatMap { Int64($0) }.map { first + $0 }
        let done = try await take(answer.body, into: part, from: first, total)
        guard total == nil || done == total else { throw URLError(.networkConnectionLost) }
        try check(part)
        try FileManager.default.replace(file, with: part)
        return true
    }

    private func take(_ body: any EventSource, into part: URL, from first: Int64, _ total: Int64?) async throws -> Int64
    {
        let handle = try FileHandle(forWritingTo: part)
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(first))
        var (done, begun) = (first, first)
        // A hundredth of the content at most, so that the progress is even on a slow network too.
        let piece = min(Int(clamping: (total ?? 0) / 100), Self.largestPiece)
        progress(KithProgress(completed: done, total: total))
        while let bytes = try await body.next(atLeast: piece) {
            try handle.write(contentsOf: bytes)
            done += Int64(bytes.count)
            if done - begun >= Self.stretch {
                handle.beginToSynchronize(from: begun, done - begun)
                begun = done
            }
            progress(KithProgress(completed: done, total: total))
        }
        try handle.synchronize()
        return done
    }

    /// Compares the digest of the whole part, since an earlier launch may have left damaged bytes.
    private func check(_ part: URL) throws {
        guard let sha256 else { return }
        var digest = ContentDigest()
        let handle = try FileHandle(forReadingFrom: part)
        defer { try? handle.close() }
        while let bytes = try handle.read(upToCount: 256 << 10), !bytes.isEmpty { digest.update(bytes) }
        guard digest.finish() != sha256.lowercased() else { return }
        try? FileManager.default.removeItem(at: part)
        throw KithProblem.contentDamaged
    }

    // MARK: - The part that has arrived

    private func part() -> (file: URL, tag: String, size: Int64)? {
        let folder = file.deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let start = ".\(file.lastPathComponent)."
        guard let name = names.first(where: { $0.hasPrefix(start) && $0.hasSuffix(Self.suffix) }) else { return nil }
        let part = folder.appending(path: name)
        let tag = name.dropFirst(start.count).dropLast(Self.suffix.count)
        let size = (try? FileManager.default.attributesOfItem(atPath: part.path)[.size] as? NSNumber)?.int64Value ?? 0
        guard !tag.isEmpty, size > 0 else {
            try? FileManager.default.removeItem(at: part)
            return nil
        }
        return (part, "\"\(tag)\"", size)
    }

    /// The file for a content with this ETag. A tag that is no plain strong one is of no use for going on, and leaves
    /// the name without one.
    private func name(of tag: String?) -> URL {
        let plain = tag.flatMap { $0.wholeMatch(of: /"([A-Za-z0-9_-]{1,100})"/)?.1 } ?? ""
        return file.deletingLastPathComponent().appending(path: ".\(file.lastPathComponent).\(plain)\(Self.suffix)")
    }

    private func remove(_ part: (file: URL, tag: String, size: Int64)?) {
        if let part { try? FileManager.default.removeItem(at: part.file) }
    }

    /// The first byte of a `Content-Range` (RFC 9110, section 14.4); nil if it has none.
    private static func first(of range: String?) -> Int64? {
        range?.wholeMatch(of: /bytes ([0-9]+)-[0-9]+\/([0-9]+|\*)/).flatMap { Int64($0.1) }
    }
}

extension KithProblem {
    /// A content that has arrived is not the one that was stored.
    static let contentDamaged = KithProblem(
        code: .init(rawValue: "content_damaged"), status: nil,
        detail: "The content arrived damaged. Please try again.",
        retryable: true, retryAfter: nil, requestID: nil, errors: [])
}

extension FileManager {
    /// Puts `part` in the place of `file`, which may exist.
    fileprivate func replace(_ file: URL, with part: URL) throws {
        guard rename(part.path, file.path) != 0 else { return }
        throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path])
    }
}

extension FileHandle {
    /// Begins to write `count` bytes from `first` on to the disk, and does not wait for it. (Linux does so for pages
    /// that the program does not need: `POSIX_FADV_DONTNEED` in posix_fadvise(2). Swift does not import its
    /// `sync_file_range`.)
    fileprivate func beginToSynchronize(from first: Int64, _ count: Int64) {
        #if canImport(FoundationNetworking)
            _ = posix_fadvise(fileDescriptor, off_t(first), off_t(count), POSIX_FADV_DONTNEED)
        #endif
    }
}

import Crypto
import Foundation
import Glibc
import KithClient
import LocalPostgres
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `A document` {
    private func archive() async throws -> Archive {
        let (installation, _, client) = try shared.get()
        return try await Archive(installation, client)
    }

    @Test func `can be added, listed, read, renamed, replaced, deleted and restored`() async throws {
        let archive = try await archive()
        let (alice, content) = (archive.alice, bytes(1000))
        let made = try await archive.add(content)
        #expect(made.name == "Will.pdf")
        #expect(made.contentType == "application/pdf")
        #expect(made.size == 1000)
        #expect(made.sha256 == hash(content))
        #expect(made.vaultID == archive.vault.id)
        let list: Kith.DocumentPage = try await alice.get("GET", archive.path)
        #expect(list.items == [made])
        let seen: Kith.Document = try await alice.get("GET", archive.path(made))
        #expect(seen == made)

        let read = try await archive.content(made)
        #expect(read.status == 200)
        #expect(read.body == content)
        #expect(read.headers["content-type"] == "application/pdf")
        #expect(read.headers["content-length"] == "1000")
        #expect(read.headers["etag"] == "\"\(made.versionID.text)\"")
        #expect(read.headers["content-disposition"] == "attachment; filename=\"Will.pdf\"; filename*=UTF-8''Will.pdf")
        #expect(read.headers["x-content-type-options"] == "nosniff")
        #expect(read.headers["content-security-policy"] == "sandbox; default-src 'none'")
        #expect(read.headers["cache-control"] == "private, no-store")
        let head = try await alice.send("HEAD", archive.path(made) + "/content")
        #expect(head.status == 200)
        #expect(head.headers["content-length"] == "1000")
        #expect(head.body.isEmpty)

        let renamed: Kith.Document = try await alice.get("PATCH", archive.path(made), #"{"name":"Last will.pdf"}"#)
        #expect(renamed.name == "Last will.pdf")
        #expect(renamed.versionID == made.versionID)
        let other = bytes(300_000)
        let replaced: Kith.Document = try await archive.client.send(
            "PUT", archive.path(made), content: other, type: "image/png", as: alice.token
        ).decode()
        #expect(replaced.id == made.id)
        #expect(replaced.name == "Last will.pdf")
        #expect(replaced.contentType == "image/png")
        #expect(replaced.versionID != made.versionID)
        #expect(try await archive.content(made).body == other)

        #expect(try await alice.send("DELETE", archive.path(made)).status == 204)
        #expect(try await alice.send("GET", archive.path(made)).code == "not_found")
        #expect(try await archive.content(made).code == "not_found")
        #expect(try await alice.send("DELETE", archive.path(made)).code == "not_found")
        let deleted: Kith.DocumentPage = try await alice.get("GET", archive.path + "?deleted=true")
        #expect(deleted.items.map(\.id) == [made.id])
        let restored: Kith.Document = try await alice.get("POST", archive.path(made) + "/restore", "{}")
        #expect(restored.deletedAt == nil)
        #expect(try await alice.send("POST", archive.path(made) + "/restore", "{}").code == "invalid_transition")
        #expect(try await archive.content(made).body == other)
        #expect(
            try archive.history(made) == [
                "document.added", "document.read", "document.renamed", "document.replaced", "document.read",
                "document.deleted", "document.restored", "document.read",
            ])
    }

    @Test(arguments: [0, 1, 262_143, 262_144, 262_145, 524_288, 1_000_000])
    func `comes back byte for byte, wherever its chunk boundaries fall`(size: Int) async throws {
        let archive = try await archive()
        let content = bytes(size)
        let made = try await archive.add(content)
        #expect(made.size == size)
        let read = try await archive.content(made)
        #expect(read.status == 200)
        #expect(read.body == content)
        #expect(try archive.kept().chunks == max(1, (size + 262_143) / 262_144))
        for (first, last) in [(0, 0), (262_143, 262_144), (size / 2, size - 1), (0, size - 1)]
        where first <= last && last < size {
            let part = try await archive.content(made, ["Range": "bytes=\(first)-\(last)"])
            #expect(part.status == 206)
            #expect(part.body == content[first...last])
            #expect(part.headers["content-range"] == "bytes \(first)-\(last)/\(size)")
        }
        let rest = try installation(archive).query(
            "select bool_or(position($1 in sealed) > 0) from kith.document_chunks", [.bytea(Array(content.prefix(64)))])
        if size > 64 { #expect(rest.bool(0, 0) == false) }
    }

    private func installation(_ archive: Archive) throws -> PostgresSession { try archive.installation.session() }

    @Test func `supports range requests and conditional reads`() async throws {
        let archive = try await archive()
        let content = bytes(600_000)
        let made = try await archive.add(content)
        let tag = "\"\(made.versionID.text)\""
        let end = try await archive.content(made, ["Range": "bytes=-10"])
        #expect(end.body == content.suffix(10))
        #expect(end.headers["content-range"] == "bytes 599990-599999/600000")
        let several = try await archive.content(made, ["Range": "bytes=0-1,5-6"])
        #expect(several.status == 200)
        #expect(several.body == content)
        let behind = try await archive.content(made, ["Range": "bytes=600000-"])
        #expect(behind.status == 416)
        #expect(behind.code == "range_not_satisfiable")
        #expect(behind.headers["content-range"] == "bytes */600000")

        let known = try await archive.content(made, ["If-None-Match": "\"x\", W/\(tag)"])
        #expect(known.status == 304)
        #expect(known.body.isEmpty)
        #expect(known.headers["etag"] == tag)
        #expect(try await archive.content(made, ["If-None-Match": "\"x\""]).status == 200)
        #expect(try await archive.content(made, ["If-Match": "\"x\""]).code == "precondition_failed")
        #expect(try await archive.content(made, ["If-Range": tag, "Range": "bytes=0-1"]).status == 206)
        #expect(try await archive.content(made, ["If-Range": "\"x\"", "Range": "bytes=0-1"]).status == 200)
    }

    @Test func `is replaced only if the caller has seen the current version`() async throws {
        let archive = try await archive()
        let made = try await archive.add(bytes(10))
        let tag = "\"\(made.versionID.text)\""
        func put(_ condition: String?) async throws -> APIClient.Answer {
            try await archive.client.send(
                "PUT", archive.path(made), content: bytes(20), type: "text/plain", as: archive.alice.token,
                headers: condition.map { ["If-Match": $0] } ?? [:])
        }
        #expect(try await put("\"\(UUID())\"").code == "precondition_failed")
        #expect(try await put("nonsense").status == 412)
        #expect(try await put("W/\(tag)").status == 412)
        #expect(try await put(tag).status == 200)
        #expect(try await put(tag).status == 412)
        #expect(try await put("*").status == 200)
        #expect(try await put(nil).status == 200)
        // Two callers replace the same version at the same time: only one succeeds.
        let seen: Kith.Document = try await archive.alice.get("GET", archive.path(made))
        let condition = "\"\(seen.versionID.text)\""
        async let one = put(condition)
        async let two = put(condition)
        #expect(try await Set([one.status, two.status]) == [200, 412])
        #expect(try await archive.alice.send("PUT", archive.path + "/\(UUID())").code == "not_found")
    }

    @Test func `is available to people in the vault, as their access level allows`() async throws {
        let archive = try await archive()
        let made = try await archive.add(bytes(100))
        let (viewer, editor, full) = (
            try await archive.nominee("Viewer", .view), try await archive.nominee("Editor", .edit),
            try await archive.nominee("Full", .full)
        )
        let mallory = try await Person.join(archive.installation.acme, as: "Mallory", archive.client)
        let other = try await Person.join(archive.installation.globex, as: "Alice", archive.client)
        /// The status of each call, in order.
        func statuses(_ person: Person) async throws -> [Int] {
            var statuses = try await [
                person.send("GET", archive.path).status, person.send("GET", archive.path(made)).status,
                archive.content(made, as: person).status,
            ]
            let posted = try await archive.client.send(
                "POST", archive.path + "?name=x", content: bytes(10), type: "text/plain", as: person.token)
            let put = try await archive.client.send(
                "PUT", archive.path(made), content: bytes(10), type: "text/plain", as: person.token)
            statuses += [posted.status, put.status]
            statuses += try await [
                person.send("PATCH", archive.path(made), #"{"name":"X"}"#).status,
                person.send("GET", archive.path + "?deleted=true").status,
                person.send("DELETE", archive.path(made)).status,
                person.send("POST", archive.path(made) + "/restore", "{}").status,
            ]
            return statuses
        }
        #expect(try await statuses(viewer) == [200, 200, 200, 403, 403, 403, 403, 403, 403])
        #expect(try await statuses(editor) == [200, 200, 200, 201, 200, 200, 403, 403, 403])
        #expect(try await statuses(full) == [200, 200, 200, 201, 200, 200, 200, 204, 200])
        #expect(try await statuses(mallory) == Array(repeating: 404, count: 9))
        #expect(try await statuses(other) == Array(repeating: 404, count: 9))
        let _: Kith.VaultSession = try await archive.alice.get("POST", "/v1/vaults/\(archive.vault.id)/lock", "{}")
        for person in [archive.alice, viewer, editor, full] {
            #expect(try await statuses(person) == Array(repeating: 423, count: 9))
        }
        #expect(try await statuses(mallory) == Array(repeating: 404, count: 9))
        try archive.revoke(viewer)
        #expect(try await statuses(viewer) == Array(repeating: 403, count: 9))
        #expect(try await archive.content(made, as: viewer).code == "nominee_revoked")
    }

    @Test(
        arguments: [
            "👩‍👩‍👧‍👦 Familie.pdf", "O'Brien \"quoted\" <b>.txt", "a/b\\c:d*e?f|g",
            String(repeating: "ä", count: 255), "مستند.pdf", "; rm -rf", "%00%0A.pdf",
        ])
    func `may have any name of one line`(name: String) async throws {
        let archive = try await archive()
        let made = try await archive.add(bytes(10), name: name)
        #expect(made.name == name)
        let read = try await archive.content(made)
        #expect(read.status == 200)
        let disposition = try #require(read.headers["content-disposition"])
        #expect(disposition.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        let escaped = try #require(disposition.split(separator: "UTF-8''").last)
        // The file name in the download's header must not be a path.
        let harmless = String(name.map { "/\\".contains($0) ? "_" : $0 })
        #expect(harmless.hasPrefix(escaped.removingPercentEncoding?.prefix(50) ?? "?"))
    }

    @Test func `with an invalid name or type is refused, naming the field`() async throws {
        let archive = try await archive()
        func post(_ query: String, type: String = "text/plain") async throws -> APIClient.Answer {
            try await archive.client.send(
                "POST", archive.path + query, content: bytes(10), type: type, as: archive.alice.token)
        }
        for query in [
            "", "?name=", "?name=%20", "?name=a%0Ab", "?name=a%00", "?name=%E2%80%AEfdp.exe",
            "?name=" + String(repeating: "x", count: 1000),
        ] {
            let answer = try await post(query)
            #expect(answer.code == "validation_failed", "\(query.prefix(20)): \(answer.text)")
            #expect(answer.text.contains("\"field\":\"name\""))
        }
        #expect(try await post("?name=a&name=b").code == "validation_failed")
        #expect(try await post("?name=a&colour=blue").code == "validation_failed")
        for type in ["pdf", "text/plain; charset", "text/" + String(repeating: "x", count: 300)] {
            #expect(try await post("?name=a", type: type).code == "unsupported_media_type")
        }
        let coded = try await archive.client.send(
            "POST", archive.path + "?name=a", content: bytes(10), type: "text/plain", as: archive.alice.token,
            headers: ["Content-Encoding": "gzip"])
        #expect(coded.code == "unsupported_media_type")
        #expect(coded.detail == "Send the content itself, without Content-Encoding.")
        #expect(try await post("?name=a", type: "text/plain; charset=\"utf-8\"").status == 201)
        #expect(try archive.kept().versions == 1)
    }

    @Test func `over the size limit is refused and leaves nothing behind`() async throws {
        let archive = try await archive()
        let declared = try RawConnection(archive.client)
        try declared.request(
            "POST", archive.path + "?name=x", as: archive.alice.token, "Content-Length: \(25 << 20 + 1)")
        declared.read(12)
        #expect(declared.text.hasPrefix("HTTP/1.1 413"))
        let chunked = try RawConnection(archive.client)
        try chunked.request("POST", archive.path + "?name=x", as: archive.alice.token, "Transfer-Encoding: chunked")
        for _ in 0..<26 {
            try chunked.send(Array("100000\r\n".utf8))
            try chunked.send([UInt8](repeating: 0, count: 1 << 20))
            try chunked.send(Array("\r\n".utf8))
        }
        try chunked.send(Array("0\r\n\r\n".utf8))
        chunked.read(12)
        #expect(chunked.text.hasPrefix("HTTP/1.1 413"))
        try await archive.waitForVersions(0)
    }

    @Test func `whose upload stops early leaves nothing behind`() async throws {
        let archive = try await archive()
        func upload(stoppingAfter sent: Int) async throws {
            let connection = try RawConnection(archive.client)
            try connection.request(
                "POST", archive.path + "?name=x", as: archive.alice.token, "Content-Length: 1000000")
            try connection.send([UInt8](repeating: 0, count: sent))
            try await archive.waitForVersions(1)
            withExtendedLifetime(connection) {}
        }
        for sent in [0, 100, 900_000] {
            try await upload(stoppingAfter: sent)
            // Otherwise the version that the next one makes could not be told from what this one has left.
            try await archive.waitForVersions(0)
        }
        #expect(try archive.kept().chunks == 0)
        let list: Kith.DocumentPage = try await archive.alice.get("GET", archive.path)
        #expect(list.items.isEmpty)
    }

    @Test func `that the server will not accept is refused before its body is read`() async throws {
        let archive = try await archive()
        let viewer = try await archive.nominee("Viewer", .view)
        for (token, status) in [(viewer.token, 403), ("nonsense", 401)] {
            let connection = try RawConnection(archive.client)
            try connection.request(
                "POST", archive.path + "?name=x", as: token, "Content-Length: 20000000", "Expect: 100-continue")
            connection.read(12)
            #expect(connection.text == "HTTP/1.1 \(status)")
        }
    }

    @Test func `being uploaded when access ends is cut off and leaves nothing behind`() async throws {
        let archive = try await archive()
        let editor = try await archive.nominee("Editor", .edit)
        let connection = try RawConnection(archive.client)
        try connection.request("POST", archive.path + "?name=x", as: editor.token, "Content-Length: 4000000")
        try connection.send([UInt8](repeating: 0, count: 1_000_000))
        while try archive.kept().chunks < 2 { try await Task.sleep(for: .milliseconds(5)) }
        try archive.revoke(editor)
        try connection.send([UInt8](repeating: 0, count: 3_000_000))
        connection.read(12)
        #expect(connection.text == "HTTP/1.1 403")
        try await archive.waitForVersions(0)
    }

    @Test(arguments: ["revoke", "lock", "delete"])
    func `being downloaded when access ends is cut off`(how: String) async throws {
        let archive = try await archive()
        let viewer = try await archive.nominee("Viewer", .view)
        let made = try await archive.add(bytes(25 << 20))
        let connection = try RawConnection(archive.client)
        try connection.request("GET", archive.path(made) + "/content", as: viewer.token)
        connection.read(1 << 20)
        #expect(connection.text.hasPrefix("HTTP/1.1 200"))
        switch how {
        case "revoke": try archive.revoke(viewer)
        case "lock":
            let _: Kith.VaultSession = try await archive.alice.get("POST", "/v1/vaults/\(archive.vault.id)/lock", "{}")
        default: #expect(try await archive.alice.send("DELETE", archive.path(made)).status == 204)
        }
        #expect(!connection.read(25 << 20))
        // Of the 25 MiB, at most these arrive: the piece being sent, the piece read ahead of it, and the buffers of the
        // two kernels.
        #expect(connection.received.count < 2 << 20)
    }

    @Test func `that was tampered with is not served, and the audit log records it`() async throws {
        let archive = try await archive()
        let session = try archive.installation.session()
        func tamper(_ version: Kith.Document, _ change: String) throws {
            _ = try session.query(
                change.replacing("VERSION", with: "'\(version.versionID)'"))
        }
        let first = try await archive.add(bytes(600_000))
        try tamper(
            first,
            """
            update kith.document_chunks set sealed = set_byte(sealed, 100, get_byte(sealed, 100) # 1) where \
            version_id = VERSION and n = 0
            """
        )
        let refused = try await archive.content(first)
        #expect(refused.status == 500)
        #expect(refused.code == "internal")
        #expect(!refused.text.contains("chunk"))

        for change in [
            """
            update kith.document_chunks set sealed = set_byte(sealed, 300, get_byte(sealed, 300) # 1) where \
            version_id = VERSION and n = 1
            """,
            """
            update kith.document_chunks set n = case n when 1 then 2 else 1 end + 10 where version_id = VERSION and \
            n > 0
            """,
            "delete from kith.document_chunks where version_id = VERSION and n = 2",
            """
            update kith.document_chunks set sealed = (select sealed from kith.document_chunks where version_id = \
            VERSION and n = 0) where version_id = VERSION and n = 1
            """,
            // Truncated, with the recorded size changed to match.
            """
            with cut as (update kith.document_versions set chunks = 2, size = 524288 where id = VERSION) update \
            kith.documents set size = 524288 where version_id = VERSION
            """,
        ] {
            let made = try await archive.add(bytes(600_000))
            try tamper(made, change)
            let connection = try RawConnection(archive.client)
            try connection.request("GET", archive.path(made) + "/content", as: archive.alice.token)
            #expect(!connection.read(524_288 + 2000), "\(change)")
            let audited = try session.query(
                """
                select detail ->> 'version_id', actor from kith.audit where action = 'document.tampered' and subject \
                = $1
                """,
                [.text(made.id.text)])
            #expect(audited.rowCount == 1, "\(change)")
            #expect(audited.string(0, 0) == made.versionID.text)
            #expect(audited.string(0, 1) == "user:\(archive.alice.id.text)")
        }
        // The chunks of one document under the ids of another.
        let (one, two) = (try await archive.add(bytes(100)), try await archive.add(bytes(100)))
        try tamper(
            one,
            """
            update kith.document_chunks set sealed = (select sealed from kith.document_chunks where version_id = \
            '\(two.versionID)') where version_id = VERSION
            """
        )
        #expect(try await archive.content(one).status == 500)
        #expect(try await archive.content(two).status == 200)
        let log = try shared.get().server.standardError
        #expect(log.contains("chunk 0 of version \(first.versionID.text)"))
        #expect(log.contains("of document \(first.id.text) was changed"))
    }

    @Test func `is created once for one Idempotency-Key`() async throws {
        let archive = try await archive()
        let (key, content) = (UUID().uuidString, bytes(300_000))
        func post(_ content: Data, type: String = "text/plain", name: String = "x") async throws -> APIClient.Answer {
            try await archive.client.send(
                "POST", archive.path + "?name=\(name)", content: content, type: type, as: archive.alice.token,
                headers: ["Idempotency-Key": key])
        }
        let first = try await post(content)
        #expect(first.status == 201)
        let second = try await post(content)
        #expect(second.status == 201)
        #expect(second.body == first.body)
        #expect(second.headers["idempotent-replayed"] == "true")
        for other in try await [
            post(bytes(300_000)), post(content, type: "image/png"), post(content, name: "y"),
        ] {
            #expect(other.code == "idempotency_mismatch")
        }
        async let one = post(content)
        async let two = post(content)
        #expect(try await [one.status, two.status] == [201, 201])
        #expect(try archive.kept().versions == 1)
        let list: Kith.DocumentPage = try await archive.alice.get("GET", archive.path)
        #expect(list.items.count == 1)
    }

    @Test func `appears in a paginated list`() async throws {
        let archive = try await archive()
        for number in 0..<5 { _ = try await archive.add(bytes(number), name: "\(number)") }
        var names: [String] = []
        var cursor: String?
        repeat {
            let page: Kith.DocumentPage = try await archive.alice.get(
                "GET", archive.path + "?limit=2" + (cursor.map { "&cursor=\($0)" } ?? ""))
            names += page.items.map(\.name)
            cursor = page.nextCursor?.rawValue
        } while cursor != nil
        #expect(names == ["0", "1", "2", "3", "4"])
    }

    @Test func `is refused once its vault's quota is used up`() async throws {
        let (installation, _, client) = try shared.get()
        let tenant = try installation.tenant("small")
        try installation.set(tenant, "vault_quota_mib=1")
        let archive = try await Archive(installation, client, tenant)
        let made = try await archive.add(bytes(900_000))
        let answer = try await client.send(
            "POST", archive.path + "?name=x", content: bytes(200_000), type: "text/plain", as: archive.alice.token)
        #expect(answer.status == 507)
        #expect(answer.code == "quota_exceeded")
        // Replaced versions free their space.
        let replaced = try await client.send(
            "PUT", archive.path(made), content: bytes(1_000_000), type: "text/plain", as: archive.alice.token)
        #expect(replaced.status == 200)
        #expect(try await archive.alice.send("DELETE", archive.path(made)).status == 204)
        let full = try await client.send(
            "POST", archive.path + "?name=x", content: bytes(200_000), type: "text/plain", as: archive.alice.token)
        #expect(full.code == "quota_exceeded")
    }
}

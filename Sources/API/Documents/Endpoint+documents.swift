internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// The documents of vaults. The vault must be open for everybody, including its owner.
    static let documents: [Endpoint] = [
        Endpoint(
            operationID: "listDocuments", method: .get, path: "/v1/vaults/{id}/documents", caller: .user,
            work: .procedure(
                .write(
                    "api.list_documents", .path("id", .uuid),
                    .query(
                        "deleted", .boolean,
                        "Lists deleted documents that can be restored instead. Requires access level full."), .limit,
                    .cursor(.uuid), .now)),
            summary: "List the documents of an open vault", area: "Documents", answer: .list(of: .document),
            problems: open),
        Endpoint(
            operationID: "createDocument", method: .post, path: "/v1/vaults/{id}/documents", caller: .user,
            work: .handler(
                DocumentUpload.create,
                arguments: [
                    .path("id", .uuid),
                    .query("name", .line(length: documentName), "The document's name.", required: true),
                ]),
            summary: "Add a document", details: "Requires access level edit.", area: "Documents",
            bound: "\(Bound.documentWrites) The vault's storage quota, and 10,000 documents per vault.", body: content,
            bodyType: .bytes,
            maximumBody: DocumentVersion.maximumSize, answer: .component(.document), success: .created,
            repeatRight: .vault(.edit), problems: open + [.quotaExceeded], checksVersions: true,
            headerParameters: [.ifNoneMatchOfNew]),
        Endpoint(
            operationID: "getDocument", method: .get, path: "/v1/vaults/{id}/documents/{doc}", caller: .user,
            work: .procedure(.write("api.get_document", .path("id", .uuid), .path("doc", .uuid), .now)),
            summary: "Get a document without its content", area: "Documents", answer: .component(.document),
            problems: open),
        Endpoint(
            operationID: "replaceDocument", method: .put, path: "/v1/vaults/{id}/documents/{doc}", caller: .user,
            work: .handler(DocumentUpload.replace, arguments: [.path("id", .uuid), .path("doc", .uuid)]),
            summary: "Replace a document's content", details: "Requires access level edit.", area: "Documents",
            bound: "\(Bound.documentWrites) The vault's storage quota, which also limits what is replaced per hour.",
            body: content,
            bodyType: .bytes, maximumBody: DocumentVersion.maximumSize, answer: .component(.document),
            problems: open + [.quotaExceeded], checksVersions: true,
            headerParameters: [.ifMatch, .ifNoneMatchOfStored]),
        Endpoint(
            operationID: "renameDocument", method: .patch, path: "/v1/vaults/{id}/documents/{doc}", caller: .user,
            work: .procedure(
                .write("api.rename_document", .path("id", .uuid), .path("doc", .uuid), .member("name"), .ifMatch, .now)),
            summary: "Rename a document", details: "Requires access level edit.", area: "Documents",
            bound: Bound.documentWrites,
            body: .object([.init("name", .string(.line, length: documentName), required: true, example: "Will.pdf")]),
            answer: .component(.document), problems: open, checksVersions: true, headerParameters: [.ifMatch]),
        Endpoint(
            operationID: "deleteDocument", method: .delete, path: "/v1/vaults/{id}/documents/{doc}", caller: .user,
            work: .procedure(.write("api.delete_document", .path("id", .uuid), .path("doc", .uuid), .ifMatch, .now)),
            summary: "Delete a document", details: "It can be restored for 30 days. Requires access level full.",
            area: "Documents", bound: Bound.ending,
            success: .noContent, problems: open, checksVersions: true, headerParameters: [.ifMatch]),
        Endpoint(
            operationID: "restoreDocument", method: .post, path: "/v1/vaults/{id}/documents/{doc}/restore",
            caller: .user,
            work: .procedure(.write("api.restore_document", .path("id", .uuid), .path("doc", .uuid), .now)),
            summary: "Restore a deleted document", details: "Requires access level full.", area: "Documents",
            bound: Bound.documentWrites,
            answer: .component(.document), repeatRight: .vault(.full), problems: open + [.invalidTransition]),
        Endpoint(
            operationID: "downloadDocument", method: .get, path: "/v1/vaults/{id}/documents/{doc}/content",
            caller: .user,
            work: .handler(DocumentDownload.answer, arguments: [.path("id", .uuid), .path("doc", .uuid), .now]),
            summary: "Download a document's content", details: "The download is cut off if the access ends meanwhile.",
            area: "Documents",
            bound:
                """
                5,000 reads per user per UTC day that the vault's history records. It records one read of a content \
                per minute.
                """,
            answer: content, answerType: .content, problems: open + [.preconditionFailed, .rangeNotSatisfiable],
            headerParameters: [.range, .ifRange, .ifNoneMatch, .ifMatch]),
    ]

    static let documentName = 1...255

    /// The reasons why somebody is refused access to an open vault's contents.
    private static let open = nominee + [.vaultLocked]

    private static let content = JSONSchema.string(.anything, length: 0...DocumentVersion.maximumSize)
}

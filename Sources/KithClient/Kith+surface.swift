public import Foundation

extension Kith {
    /// The connections of the person who is signed in, in both roles.
    public var connections: KithItems<ConnectionPage> {
        let api = api
        return KithItems { try await api.listConnections(cursor: $0) }
    }

    /// The vaults of the person who is signed in, as owner or nominee.
    public var vaults: KithVaults { KithVaults(kith: self) }
}

/// The vaults of the person who is signed in, as owner or nominee.
public struct KithVaults: Sendable {
    let kith: Kith

    /// All of them.
    public var all: KithItems<Kith.VaultPage> {
        let api = kith.api
        return KithItems { try await api.listVaults(cursor: $0) }
    }

    /// The vault with this id. The server is not asked whether it exists before the first call.
    public subscript(id: UUID) -> KithVault { KithVault(kith: kith, id: id) }
}

/// One vault.
public struct KithVault: Sendable, Identifiable {
    let kith: Kith
    /// The vault's id.
    public let id: UUID

    /// The vault's documents.
    public var documents: KithDocuments { KithDocuments(vault: self) }

    /// Opens the vault, which lets its nominees in for 30 minutes after the last activity.
    ///
    /// - Returns: The session; the present one if the vault is open.
    /// - Throws: ``KithProblem``, also `vault_locked` if this person may not open it.
    @discardableResult
    public func open() async throws -> Kith.VaultSession {
        try await kith.caller.answer(to: KithCalls.openVault(id: id))
    }

    /// Locks the vault for everybody.
    ///
    /// - Returns: The session that has ended.
    /// - Throws: ``KithProblem``.
    @discardableResult
    public func lock() async throws -> Kith.VaultSession {
        try await kith.caller.answer(to: KithCalls.lockVault(id: id))
    }
}

extension KithDocuments {
    /// The documents of the vault, if it is open for this person.
    public var all: KithItems<Kith.DocumentPage> {
        let (api, id) = (vault.kith.api, vault.id)
        return KithItems { try await api.listDocuments(vaultID: id, cursor: $0) }
    }
}

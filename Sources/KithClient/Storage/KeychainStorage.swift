#if canImport(Security)
    public import Foundation
    import Security

    extension KithStorage where Self == KeychainStorage {
        /// The keychain of this device. The check-ins that are not sent yet are files in the app's support folder.
        public static var keychain: KeychainStorage { keychain(service: "kith") }

        /// The keychain under another name, for an app that signs in to several servers or tenants.
        public static func keychain(service: String) -> KeychainStorage {
            KeychainStorage(
                service: service, accessGroup: nil,
                files: .file(URL.applicationSupportDirectory.appending(path: "Kith/\(service)")))
        }

        /// A keychain and a folder that the app shares with its extensions, so that all have one sign-in, and each
        /// check-in is sent once.
        ///
        /// - Parameters:
        ///   - appGroup: The identifier of an app group, such as `group.com.example.safe`. The check-ins that are not
        ///     sent yet are files in its folder.
        ///   - accessGroup: The keychain access group, with the team's prefix; nil for the app group itself, which iOS
        ///     takes as one.
        ///   - service: A name, for an app that signs in to several servers or tenants.
        /// - Returns: The storage; nil if the process has no such app group. Add it to the target's entitlements.
        public static func shared(
            appGroup: String, accessGroup: String? = nil, service: String = "kith"
        ) -> KeychainStorage? {
            FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: appGroup).map { folder in
                KeychainStorage(
                    service: service, accessGroup: accessGroup ?? appGroup,
                    files: .file(folder.appending(path: "Kith/\(service)")))
            }
        }
    }

    /// Keeps the sign-in in the keychain, readable once the device was unlocked after its start, and never in a backup
    /// of another device.
    public struct KeychainStorage: KithStorage {
        let service: String
        let accessGroup: String?
        let files: FileStorage

        /// Takes a lock of a file beside the check-ins.
        public func lock(_ name: String) throws -> (any KithStorageLock)? { try files.lock(name) }

        private func query(_ more: [CFString: Any] = [:]) -> CFDictionary {
            var base: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: SessionRecord.name,
                kSecUseDataProtectionKeychain: true,
            ]
            if let accessGroup { base[kSecAttrAccessGroup] = accessGroup }
            return base.merging(more) { $1 } as CFDictionary
        }

        private func check(_ status: OSStatus, _ operation: String) throws {
            if status != errSecSuccess { throw FileStorage.Failure(description: "\(operation): \(status)") }
        }

        /// The names of all items.
        public func names() throws -> [String] { try files.names() }

        /// Reads an item.
        public func read(_ name: String) throws -> Data? {
            guard name == SessionRecord.name else { return try files.read(name) }
            var item: CFTypeRef?
            let status = SecItemCopyMatching(query([kSecReturnData: true]), &item)
            if status == errSecItemNotFound { return nil }
            try check(status, "SecItemCopyMatching")
            return item as? Data
        }

        /// Writes an item, or replaces it.
        public func write(_ item: Data, as name: String) throws {
            guard name == SessionRecord.name else { return try files.write(item, as: name) }
            let new: [CFString: Any] = [
                kSecValueData: item, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            let status = SecItemUpdate(query(), new as CFDictionary)
            if status == errSecItemNotFound { return try check(SecItemAdd(query(new), nil), "SecItemAdd") }
            try check(status, "SecItemUpdate")
        }

        /// Removes an item, if there is one.
        public func remove(_ name: String) throws {
            guard name == SessionRecord.name else { return try files.remove(name) }
            let status = SecItemDelete(query())
            if status != errSecItemNotFound { try check(status, "SecItemDelete") }
        }
    }
#endif

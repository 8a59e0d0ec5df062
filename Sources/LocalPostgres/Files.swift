import Glibc

/// Returns an absolute path without symbolic links, so that each place has one name, whether or not it exists yet.
func canonicalPath(_ path: String) -> String {
    if let resolved = realpath(path, nil) {
        defer { free(resolved) }
        return String(cString: resolved)
    }
    guard path != "/", !path.isEmpty else { return path.isEmpty ? canonicalPath(".") : path }
    let trimmed = path.last == "/" ? String(path.dropLast()) : path
    guard let slash = trimmed.lastIndex(of: "/") else { return canonicalPath(".") + "/" + trimmed }
    let parent = trimmed[..<slash]
    let resolved = canonicalPath(parent.isEmpty ? "/" : String(parent))
    return (resolved == "/" ? "" : resolved) + trimmed[slash...]
}

/// Returns the text of a small file; nil when it cannot be read.
func contents(of path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
    return String(decoding: bytes, as: UTF8.self)
}

/// Creates a directory and its parents. An existing directory is left unchanged.
func makeDirectory(_ path: String, mode: mode_t) throws(LocalPostgresError) {
    guard access(path, F_OK) != 0 else { return }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
        try makeDirectory(String(path[..<slash]), mode: 0o755)
    }
    guard mkdir(path, mode) == 0 || errno == EEXIST else {
        throw LocalPostgresError("cannot make the directory \(path): \(String(cString: strerror(errno)))")
    }
}

/// Returns the names in a directory; none when it cannot be read.
func entries(of directory: String) -> [String] {
    guard let folder = opendir(directory) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) { names.append(entryName(entry)) }
    return names
}

/// Returns the name in an entry of a directory.
///
/// It is read in place. `entry.pointee.d_name` would copy all of the 256 bytes that the type declares, but the entry
/// ends with its name (readdir(3)), and what follows may be memory of nobody.
func entryName(_ entry: UnsafePointer<dirent>) -> String {
    guard let start = MemoryLayout<dirent>.offset(of: \.d_name) else { preconditionFailure("d_name has no offset") }
    return String(cString: (UnsafeRawPointer(entry) + start).assumingMemoryBound(to: CChar.self))
}

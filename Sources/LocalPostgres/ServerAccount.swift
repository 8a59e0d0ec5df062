import Glibc

/// The user that runs PostgreSQL's programs: the current user, or an unprivileged one if the current user is root, whom
/// PostgreSQL refuses.
struct ServerAccount: Sendable {
    let name: String
    let userID: uid_t
    let groupID: gid_t

    /// Chooses the account.
    init() throws(LocalPostgresError) {
        guard geteuid() == 0 else {
            self.init(name: "", userID: geteuid(), groupID: getegid())
            return
        }
        for name in ["postgres", "nobody"] {
            guard let entry = getpwnam(name) else { continue }
            self.init(name: name, userID: entry.pointee.pw_uid, groupID: entry.pointee.pw_gid)
            return
        }
        throw LocalPostgresError("PostgreSQL does not run as root, and there is no user postgres; run: make setup")
    }

    private init(name: String, userID: uid_t, groupID: gid_t) {
        self.name = name
        self.userID = userID
        self.groupID = groupID
    }

    /// Whether it is a user other than the current one.
    var isOther: Bool { userID != geteuid() }

    /// Runs a program as this user, with its output appended to a file, waits for it, and returns its exit status.
    func run(_ arguments: [String], output: String) throws(LocalPostgresError) -> Int32 {
        guard isOther else { return try ServerProgram.run(arguments, output: output) }
        let become = ["/usr/bin/setpriv", "--reuid=\(userID)", "--regid=\(groupID)", "--init-groups", "--"]
        return try ServerProgram.run(become + arguments, output: output)
    }

    /// Gives a file or directory to this user.
    func own(_ path: String) throws(LocalPostgresError) {
        guard isOther else { return }
        guard chown(path, userID, groupID) == 0 else {
            throw LocalPostgresError("cannot give \(path) to \(name): \(String(cString: strerror(errno)))")
        }
    }

    /// Whether this user can enter a directory and all its parents.
    func canEnter(_ directory: String) throws(LocalPostgresError) -> Bool {
        guard isOther else { return true }
        return try run(["/usr/bin/test", "-x", directory], output: "/dev/null") == 0
    }
}

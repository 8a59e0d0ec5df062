import Counterparts
import Foundation
import Glibc
import KithClient
import KithServer
import LocalPostgres
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `The commands` {
    @Test func `name each library that the program is linked with, and its version`() throws {
        let printed = try KithProcess.run(["version", "--libraries"], environment: [:]).output
        let lines = printed.split(separator: "\n")
        #expect("\(lines[0])\n" == (try KithProcess.run(["--version"], environment: [:]).output))
        let versions = lines.dropFirst().map { $0.split(separator: " ") }
        #expect(versions.allSatisfy { $0.count >= 2 && $0[1].first?.isNumber == true }, "\(printed)")

        let names = [
            "libc": "glibc", "libcrypto": "OpenSSL", "libcurl": "libcurl", "libjansson": "jansson",
            "libphonenumber": "libphonenumber", "libpq": "libpq", "libprotobuf": "libprotobuf",
            "libstdc++": "libstdc++", "libz": "zlib",
        ]
        let linked = try Tool.run(
            URL(filePath: "/usr/bin/env"), ["readelf", "--dynamic", KithProcess.executable.path]
        ).output.matches(of: /NEEDED.*\[(.+?)\.so/).map { String($0.1) }
        // A release contains the libraries of Swift. libm and ld-linux are part of glibc, and libgcc_s of GCC, like
        // libstdc++.
        let others = linked.filter {
            !$0.contains("swift") && !$0.contains("Foundation") && !["libdispatch", "libBlocksRuntime"].contains($0)
                && !["libm", "libgcc_s"].contains($0) && !$0.hasPrefix("ld-linux")
        }
        #expect(Set(others) == Set(names.keys))
        #expect(versions.map { String($0[0]) }.sorted() == (names.values + ["Swift"]).sorted())
        #expect(try KithProcess.run(["version", "--colours"], environment: [:]).status == 64)
    }

    @Test func `create, list and change tenants, and rotate their keys`() async throws {
        let (installation, _, client) = try shared.get()
        let environment = installation.environment
        func kith(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
            try KithProcess.run(arguments, environment: environment)
        }
        let made = try kith("tenant", "create", "prestige", "--name", "Prestige \"Inc\"", "--json")
        #expect(made.status == 0)
        let prestige = try JSONDecoder().decode(Installation.Tenant.self, from: Data(made.output.utf8))
        #expect(prestige.slug == "prestige")
        #expect(prestige.secretKey.hasPrefix("kith_sk_"))
        #expect(try await client.send("GET", "/v1/tenant", as: prestige.secretKey).status == 200)

        let again = try kith("tenant", "create", "prestige", "--name", "Prestige")
        #expect(again.status == 1)
        #expect(again.errors.hasPrefix("kith: "))
        #expect(try kith("tenant", "create", "Not A Slug", "--name", "X").status == 1)
        #expect(try kith("tenant", "list").output.contains("slug=prestige"))

        #expect(try kith("tenant", "set", "prestige", "grace_minutes=60", "requires_consent=true").status == 0)
        let settings = try await client.send("GET", "/v1/tenant", as: prestige.secretKey)
        #expect(settings.text.contains("\"grace_minutes\" : 60"))
        for (setting, error) in [
            ("colour=blue", "colour is not a setting that can be changed here"),
            ("grace_minutes=soon", "grace_minutes must be a whole number, like 60"),
            ("grace_minutes=4", "grace_minutes must be from 5 to 719"),
            (
                "allowed_origins=https://app.example.com",
                #"allowed_origins must be a list of texts, like ["https://app.example.com"]"#
            ),
        ] {
            let refused = try kith("tenant", "set", "prestige", "reminder_minutes=7", setting)
            #expect(refused.status == 65)
            #expect(refused.errors == "kith: \(error)\n")
        }
        #expect(try await client.send("GET", "/v1/tenant", as: prestige.secretKey).text == settings.text)
        #expect(try kith("tenant", "set", "nobody", "grace_minutes=60").status == 1)

        let rotated = try kith("tenant", "key", "rotate", "prestige", "--json")
        #expect(rotated.status == 0)
        #expect(rotated.output.contains("kith_sk_") && rotated.output.contains("old_keys_end_at"), "\(rotated.output)")
        let audited = try kith("audit", "prestige").output
        #expect(audited.components(separatedBy: " prestige operator:").count > 3, "\(audited)")
    }

    @Test func `make, list and end secret keys with scopes`() async throws {
        let installation = try Installation(offset: nil)
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        func kith(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
            try KithProcess.run(["tenant", "key"] + arguments, environment: installation.environment)
        }
        struct Made: Decodable {
            let id: UUID
            let scopes: [String]
            let secretKey: String

            private enum CodingKeys: String, CodingKey {
                case id, scopes
                case secretKey = "secret_key"
            }
        }
        let made = try kith("create", "acme", "--name", "Reports", "--scopes", "read,webhooks", "--json")
        #expect(made.status == 0, "\(made.errors)")
        let key = try JSONDecoder().decode(Made.self, from: Data(made.output.utf8))
        #expect(key.scopes == ["read", "webhooks"])
        #expect(try await client.send("GET", "/v1/users", as: key.secretKey).status == 200)
        #expect(try await client.send("POST", "/v1/users", "{}", as: key.secretKey).code == "forbidden")
        let ending = try kith("create", "acme", "--name", "Brief", "--expires", "2000-01-01T00:00:00Z")
        #expect(ending.status == 65 && ending.errors.contains("must be in the future"), "\(ending.errors)")
        let all = try kith("create", "acme", "--name", "Deploy")
        #expect(all.output.contains("scopes={all}"))

        let list = try kith("list", "acme").output
        #expect(list.contains("name=Reports scopes={read,webhooks} state=live") && !list.contains("kith_sk_"))
        #expect(try kith("end", "acme", key.id.text, "--reason", "leaked").status == 0)
        #expect(try kith("list", "acme").output.contains("name=Reports scopes={read,webhooks} state=ended"))
        // Another server does not know the key yet, so it asks.
        let (other, elsewhere) = try installation.serve()
        defer { other.signal(SIGTERM) }
        #expect(try await elsewhere.send("GET", "/v1/users", as: key.secretKey).code == "unauthenticated")
        #expect(try kith("end", "acme", key.id.text, "--reason", "again").status == 1)
        #expect(try kith("end", "globex", key.id.text, "--reason", "theirs").status == 1)
        #expect(try kith("create", "acme", "--name", "Odd", "--scopes", "fly").status == 65)
        #expect(try kith("list", "nobody").errors.contains("there is no tenant nobody"))
        for wrong in [
            ["create", "acme"], ["end", "acme"], ["end", "acme", key.id.text], ["list"], ["fly", "acme"],
            ["list", "acme", "--scopes", "read"], ["rotate", "acme", "--expires", "2030-01-01T00:00:00Z"],
            ["create", "acme", "--name", "Odd", "--reason", "none"], ["list", "acme", "--name", "Deploy"],
            ["end", "acme", key.id.text, "--name", "Deploy", "--reason", "named"], ["list", "acme", "--at-once"],
        ] {
            let refused = try KithProcess.run(["tenant", "key"] + wrong, environment: installation.environment)
            #expect(refused.status == 64, "\(wrong): \(refused.errors)")
        }
    }

    @Test func `rotate a leaked key at once`() async throws {
        let installation = try Installation(offset: nil)
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let rotated = try KithProcess.run(
            ["tenant", "key", "rotate", "acme", "--at-once"], environment: installation.environment)
        #expect(rotated.status == 0, "\(rotated.errors)")
        let old = try await client.send("GET", "/v1/users", as: installation.acme.secretKey)
        #expect(old.code == "unauthenticated")
        let words = rotated.output.split(whereSeparator: \.isWhitespace)
        let word = try #require(words.first { $0.hasPrefix("secret_key=") })
        let new = String(word.dropFirst("secret_key=".count))
        #expect(try await client.send("GET", "/v1/users", as: new).status == 200)
    }

    @Test func `print a token that the server accepts`() async throws {
        let installation = try Installation(offset: nil)
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let made = try KithProcess.run(
            ["token", "--tenant", "acme", "--user", alice.id.uuidString], environment: installation.environment)
        let token = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let me: Kith.User = try await client.get("GET", "/v1/me", as: token)
        #expect(me.id == alice.id)
        for arguments in [
            ["token", "--tenant", "nobody", "--user", alice.id.uuidString],
            ["token", "--tenant", "globex", "--user", alice.id.uuidString],
            ["token", "--tenant", "acme", "--user", "alice"], ["token", "--tenant", "acme"],
            ["token", "--tenant", "acme", "--user", alice.id.uuidString, "--ttl", "86401"],
        ] {
            let refused = try KithProcess.run(arguments, environment: installation.environment)
            #expect(refused.status != 0)
            #expect(refused.errors.hasPrefix("kith: "), "\(refused.errors)")
        }
    }

    @Test func `migrate, report what was applied, and check whether anything is pending`() throws {
        let (installation, _, _) = try shared.get()
        let check = try KithProcess.run(["migrate", "--check"], environment: installation.environment)
        #expect(check.status == 0)
        #expect(check.output.hasPrefix("the schema is current\n"))
        var environment = installation.environment
        environment["KITH_DATABASE_URL"] = try installation.postgres.createDatabase("unmigrated")
        let missing = try KithProcess.run(["migrate", "--check"], environment: environment)
        #expect(missing.status == 1)
        #expect(missing.output.contains("missing 0001_"))
        #expect(missing.errors.contains("run kith migrate"))
        let list = try KithProcess.run(["tenant", "list"], environment: environment)
        #expect(list.errors.contains("run kith migrate"))
    }

    @Test func `warn in doctor when half of a tenant's codes are in use`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        try installation.session().execute(
            """
            set session_replication_role = replica; -- no look-up of the account for each of them
            insert into kith.unique_codes (tenant_id, code, user_id, role, permanent, created_at)
            select \(installation.acme.tenantID), lpad(n::text, 6, '0'), '\(alice.id)', 'sender', false, \(Day.sql)
            from generate_series(1, 500001) as n
            """)
        let doctor = try KithProcess.run(["doctor"], environment: installation.home)
        #expect(doctor.output.contains("WRONG  codes of acme: 50.00 % of a million are given out"))
        #expect(doctor.status != 0)
    }

    @Test func `list in doctor the worst of a hundred failing webhooks, and their total`() throws {
        let installation = try Installation()
        try installation.session().execute(
            """
            insert into kith.webhooks (
              tenant_id, id, url, sealed_secrets, taken_xid, taken_at, next_attempt_at, disabled_at, disabled_reason, created_at, updated_at
            )
            select \(installation.acme.tenantID), gen_random_uuid(), 'https://hooks.example/' || n, '', '1', now(), now(), now(), 'gone', now(), now()
            from generate_series(1, 100) as n
            """)
        let doctor = try KithProcess.run(["doctor"], environment: installation.home)
        let lines = doctor.output.split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("WRONG  webhook https://hooks.example/") } == 5, "\(doctor.output)")
        #expect(doctor.output.contains("100 in all"))
        #expect(doctor.output.contains("admin.webhooks"))
    }

    @Test func `ignore the variables that Kubernetes sets for a Service, and refuse misspellings of ours`() throws {
        let (installation, _, _) = try shared.get()
        let ofKubernetes = [
            "KITH_SERVICE_HOST": "10.96.0.10", "KITH_SERVICE_PORT": "8080", "KITH_SERVICE_PORT_HTTP": "8080",
            "KITH_PORT": "tcp://10.96.0.10:8080", "KITH_PORT_8080_TCP": "tcp://10.96.0.10:8080",
            "KITH_PORT_8080_TCP_PROTO": "tcp", "KITH_PORT_8080_TCP_PORT": "8080",
            "KITH_PORT_8080_TCP_ADDR": "10.96.0.10", "KITH_API_SERVICE_HOST": "fd00::10",
            "KITH_API_PORT": "tcp://[fd00::10]:8080",
        ]
        let ignored = try KithProcess.run(
            ["migrate", "--check"], environment: installation.environment.merging(ofKubernetes) { $1 })
        #expect(ignored.status == 0, "\(ignored.errors)")
        for (name, value) in [
            ("KITH_PORT", "8080"), ("KITH_LISTEN_PORT", "8080"), ("KITH_DATABASE_HOST", "10.0.0.1"),
            ("KITH_SERVICE_HOST", "db.example.com"), ("KITH_DATABASE_URLS", "x"),
        ] {
            let refused = try KithProcess.run(
                ["migrate", "--check"], environment: installation.environment.merging([name: value]) { $1 })
            #expect(refused.status == 78, "\(name)")
            #expect(refused.errors.contains(name), "\(refused.errors)")
        }
    }

    @Test func `name in doctor the keys and certificates that end within a fortnight`() throws {
        let installation = try Installation(offset: nil)
        // Its certificate is good for two days.
        let providers = try Providers()
        let address = "https://localhost:\(providers.sink.port)"
        var environment = installation.home
        environment["KITH_CA_FILE"] = providers.certificate.path
        environment["KITH_PUBLIC_URL"] = address
        let session = try installation.session()
        let fine = try KithProcess.run(["doctor"], environment: installation.home)
        #expect(
            fine.output.contains("ok     secret keys that were made to last over a fortnight: none ends"),
            "\(fine.output)"
        )
        #expect(!fine.output.contains("certificate"), "\(fine.output)")
        // One more than are listed.
        try session.execute(
            """
            insert into kith.api_keys (tenant_id, id, name, secret_hash, created_at)
            select \(installation.acme.tenantID), gen_random_uuid(), 'k' || n, sha256(n::text::bytea), now()
            from generate_series(1, 5) as n;
            update kith.api_keys set expires_at = now() + interval '10 days', created_at = now() - interval '1 year' where tenant_id = \(installation.acme.tenantID);
            update kith.tenants set universal_link_host = 'nowhere.invalid' where slug = 'globex'
            """)
        let doctor = try KithProcess.run(["doctor"], environment: environment)
        for pattern in [
            "WRONG  the certificate of KITH_CA_FILE ends at 2", "WRONG  the certificate of \(address) ends at 2",
            "WRONG  the secret key ", "kith psql -c \"select * from admin.create_api_key('acme', ",
            // It is pasted into a shell.
            "fix: kith psql -c \"select * from admin.api_keys where state = 'live'\"",
            "ok     the certificate of https://nowhere.invalid cannot be read from here: ",
        ] {
            #expect(doctor.output.contains(pattern), "\(pattern): \(doctor.output)")
        }
        // Another key takes over, and one that was made for a shift is meant to end.
        try session.execute(
            """
            insert into kith.api_keys (tenant_id, id, name, secret_hash, created_at)
            values (\(installation.acme.tenantID), gen_random_uuid(), 'next', sha256('next'), now());
            insert into kith.api_keys (tenant_id, id, name, scopes, secret_hash, expires_at, created_at)
            values (\(installation.globex.tenantID), gen_random_uuid(), 'shift', '{alarms}', sha256('s'), now() + interval '8 hours', now())
            """)
        let later = try KithProcess.run(["doctor"], environment: installation.home)
        #expect(
            later.output.contains("ok     secret keys that were made to last over a fortnight: none ends"),
            "\(later.output)")
    }

    @Test func `report no problem in doctor for a sound installation, and each problem in a broken one`() throws {
        let (installation, _, _) = try shared.get()
        let healthy = try KithProcess.run(["doctor"], environment: installation.environment)
        #expect(healthy.output.contains("ok     schema"))
        var environment = installation.environment
        environment["KITH_DATABASE_URL"] = "postgresql://kith_api@127.0.0.1:1/nowhere"
        let unreachable = try KithProcess.run(["doctor"], environment: environment)
        #expect(unreachable.status == 1)
        #expect(unreachable.output.contains("WRONG"))
        #expect(unreachable.output.contains("fix:"))
    }

    @Test(
        arguments: [
            ("KITH_DATABASE_URL", "mysql://x"), ("KITH_WORKER_DATABASE_URL", "x"), ("KITH_OWNER_DATABASE_URL", "x"),
            ("KITH_PUBLIC_URL", "not a url"), ("KITH_LISTEN", "8080"), ("KITH_LISTEN", "localhost:x"),
            ("KITH_METRICS_LISTEN", "127.0.0.1:99999"), ("KITH_TRUSTED_PROXIES", "10.0.0.0/8,proxy"),
            ("KITH_LOG", "xml"), ("KITH_LOOPS", "0"), ("KITH_LOOPS", "65"),
            ("KITH_READ_CONNECTIONS", "0"), ("KITH_WRITE_CONNECTIONS", "many"), ("KITH_CHECK_IN_CONNECTIONS", "0"),
            ("KITH_ADDRESS_LIMIT", "fast"), ("KITH_USER_LIMIT", "20"), ("KITH_TENANT_LIMIT", "-1/5"),
            ("KITH_ADDRESS_CONNECTIONS", "many"),
            ("KITH_SIGN_IN_LIMIT", "1"), ("KITH_DELIVERY", "pigeon"), ("KITH_DELIVERY", "file:"),
            ("KITH_OUTBOUND_ALLOW", "10.0.0.0/8,everywhere"), ("KITH_CA_FILE", "/nonexistent"),
            ("KITH_APNS_URL", "api.push.apple.com"), ("KITH_BEAT_URL", "ftp://example.com"),
            ("KITH_CLOCK_OFFSET", "tomorrow"), ("KITH_WORKER_LOOPS", "sweep=0"),
            ("KITH_BEAT_URL", "https://example.com/?id=1"),
            ("KITH_MASTER_KEY", "short"), ("KITH_MASTER_KEY_FILE", "/nonexistent"), ("KITH_COLOUR", "blue"),
        ])
    func `refuse to start with an invalid value, in one line that names the variable`(name: String, value: String)
        throws
    {
        let (installation, _, _) = try shared.get()
        var environment = installation.environment
        if name == "KITH_MASTER_KEY_FILE" { environment["KITH_MASTER_KEY"] = nil }
        environment[name] = value
        let refused = try KithProcess.run(["serve"], environment: environment)
        #expect(refused.status == 78, "\(refused.errors)")
        #expect(refused.errors.hasPrefix("kith: \(name)"), "\(refused.errors)")
        #expect(refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
    }

    @Test(arguments: [
        ("KITH_OWNER_DATABASE_URL", ["serve"], "KITH_DATABASE_URL"),
        ("KITH_WORKER_DATABASE_URL", ["serve"], "KITH_DATABASE_URL"),
        ("KITH_OWNER_DATABASE_URL", ["worker", "--once"], "KITH_WORKER_DATABASE_URL"),
        ("KITH_WORKER_DATABASE_URL", ["migrate"], "KITH_OWNER_DATABASE_URL"),
        ("KITH_WORKER_DATABASE_URL", ["tenant", "list"], "KITH_OWNER_DATABASE_URL"),
        ("KITH_WORKER_DATABASE_URL", ["psql", "-c", "select 1"], "KITH_OWNER_DATABASE_URL"),
        ("KITH_WORKER_DATABASE_URL", ["keys", "rotate"], "KITH_OWNER_DATABASE_URL"),
        ("KITH_OWNER_DATABASE_URL", ["dev"], "kith dev has a PostgreSQL of its own"),
        ("KITH_WORKER_DATABASE_URL", ["dev"], "kith dev has a PostgreSQL of its own"),
    ])
    func `say that no database is configured instead of starting one`(
        set: String, arguments: [String], named: String
    ) throws {
        let (installation, _, _) = try shared.get()
        let home = FileManager.default.temporaryDirectory.appending(path: "kith-none-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: home) }
        var environment = installation.environment
        environment["KITH_DATABASE_URL"] = nil
        environment["KITH_HOME"] = home.path
        environment[set] = installation.url
        let refused = try KithProcess.run(arguments, environment: environment)
        #expect(refused.status == 78, "\(refused.errors)")
        #expect(refused.errors.hasPrefix("kith: \(named)"), "\(refused.errors)")
        #expect(refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: home.path))
    }

    @Test func `ask for no setting beyond the database URL that they need`() throws {
        let installation = try Installation()
        var environment = installation.environment
        environment["KITH_DATABASE_URL"] = nil
        environment["KITH_OWNER_DATABASE_URL"] = installation.url
        #expect(try KithProcess.run(["tenant", "list"], environment: environment).output.contains("slug=acme"))
        let doctor = try KithProcess.run(["doctor"], environment: environment)
        #expect(doctor.output.contains("ok     KITH_DATABASE_URL is not set here"), "\(doctor.output)")
        environment["KITH_MASTER_KEY"] = nil
        let colleague = try KithProcess.run(["doctor"], environment: environment)
        #expect(colleague.output.contains("ok     master key: not set here"), "\(colleague.output)")
        environment["KITH_MASTER_KEY"] = installation.environment["KITH_MASTER_KEY"]
        environment["KITH_OWNER_DATABASE_URL"] = nil
        environment["KITH_WORKER_DATABASE_URL"] = installation.url
        #expect(try KithProcess.run(["worker", "--once"], environment: environment).status == 0)
    }

    @Test func `refuse to start on an address that is in use, and name it`() throws {
        let (installation, _, client) = try shared.get()
        var environment = installation.environment
        environment["KITH_LISTEN"] = "127.0.0.1:\(client.base.port ?? 0)"
        let refused = try KithProcess.run(["serve"], environment: environment)
        #expect(refused.status == 78)
        #expect(refused.errors.contains("KITH_LISTEN"))
    }

    @Test func `start no server and no worker on a schema that is older than theirs`() throws {
        let (installation, _, _) = try shared.get()
        var environment = installation.environment
        let url = try installation.postgres.createDatabase("older")
        environment["KITH_DATABASE_URL"] = url
        environment["KITH_CLOCK_OFFSET"] = nil
        let migrate = { try KithProcess.run(["migrate"], environment: environment) }
        #expect(try migrate().status == 0)
        // As the migrator of another release leaves them, and as one from before this table did.
        let another = "update internal.migrated_schemas set checksum = 'older'"
        for older in [another, "drop table internal.migrated_schemas"] {
            try PostgresSession(url: url).execute(older)
            for command in [["serve"], ["worker", "--once"]] {
                let refused = try KithProcess.run(command, environment: environment)
                #expect(refused.status == 75)
                #expect(refused.errors.contains("run kith migrate"), "\(refused.errors)")
            }
        }
        #expect(try migrate().status == 0)
        #expect(try KithProcess.run(["worker", "--once"], environment: environment).status == 0)
    }

    @Test func `start no embedded PostgreSQL where none is named`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-nowhere-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for words in [["find", "+49 30 123456"], ["doctor"], ["migrate"], ["top", "--once"]] {
            let (status, output) = try Tool.run(KithProcess.executable, words, in: folder)
            #expect(status != 0 && output.contains("no database is named: --env-file"), "\(words): \(output)")
            #expect(!output.contains("openssl") && !output.contains("make setup"), "\(words): \(output)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func `print their usage when called wrongly`() throws {
        let (installation, _, _) = try shared.get()
        for arguments in [
            ["fly"], ["tenant"], ["tenant", "create"], ["tenant", "create", "x"], ["serve", "--fast"],
            ["worker", "--once", "--now", "tomorrow"], ["worker", "--now"], ["tenant", "set", "acme", "grace"],
            ["completion"], ["completion", "tcsh"], ["completion", "bash", "zsh"], ["manual"], ["manual", "ls"],
            ["manual", "kith", "kith.env"],
        ] {
            let refused = try KithProcess.run(arguments, environment: installation.environment)
            #expect(refused.status == 64, "\(arguments): \(refused.errors)")
            #expect(refused.errors.hasPrefix("kith: "))
        }
        #expect(try KithProcess.run(["help"], environment: installation.environment).output.contains("kith serve"))
    }

    @Test(arguments: [["find"], ["story"], ["tenant", "key", "create"], ["serve"], ["help"]])
    func `say how they are called`(_ command: [String]) throws {
        let help = try KithProcess.run(command + ["--help"], environment: [:])
        #expect(help.status == 0, "\(help.errors)")
        #expect(help.output.hasPrefix("  kith \(command[0])"))
        #expect(help.output.split(separator: "\n").count == 2, "\(help.output)")
    }

    @Test func `refuse a shifted clock on a database that kith dev did not create`() throws {
        let (installation, _, _) = try shared.get()
        var environment = installation.environment
        let url = try installation.postgres.createDatabase("production")
        environment["KITH_DATABASE_URL"] = url
        #expect(try KithProcess.run(["migrate"], environment: environment).status == 0)
        for (arguments, name) in [
            (["serve"], "KITH_CLOCK_OFFSET"), (["worker", "--once"], "KITH_CLOCK_OFFSET"),
            (["worker", "--once", "--now", "2027-03-10T12:00:00Z"], "--now"),
        ] {
            let refused = try KithProcess.run(arguments, environment: environment)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("\(name) works only on a database that kith dev made"), "\(refused.errors)")
        }
        let dev = try KithProcess.run(["dev"], environment: ["KITH_CLOCK_OFFSET": "3600"])
        #expect(dev.status == 78)
        #expect(dev.errors.contains("kith dev goes by the machine's clock"), "\(dev.errors)")
    }

    @Test func `read an environment file, and name the line where it is malformed`() throws {
        let (installation, _, _) = try shared.get()
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID().uuidString).env")
        defer { try? FileManager.default.removeItem(at: file) }
        try "# the database\nKITH_DATABASE_URL=\"\(installation.url)\"\n\n".write(
            to: file, atomically: true, encoding: .utf8)
        let check = try KithProcess.run(["migrate", "--check", "--env-file", file.path], environment: [:])
        #expect(check.output == "the schema is current\n", "\(check.errors)")
        try "KITH_LOG=text\nnonsense\n".write(to: file, atomically: true, encoding: .utf8)
        let broken = try KithProcess.run(["migrate", "--check", "--env-file", file.path], environment: [:])
        #expect(broken.status == 78)
        #expect(broken.errors.contains(":2: expected NAME=value"))
    }

    @Test func `wait, in a single worker pass, for a database that is slow to connect, but not for one that is down`()
        async throws
    {
        let installation = try Installation()
        // Longer than a continuous worker waits for its first connection.
        try installation.session().execute("alter system set pre_auth_delay = 2")
        try installation.session().execute("select pg_reload_conf()")
        try installation.work()
        try installation.session().execute("alter system reset pre_auth_delay")
        try installation.postgres.server.stop()
        let away = try KithProcess.run(["worker", "--once"], environment: installation.environment)
        #expect(away.status == 1)
        #expect(away.errors.hasPrefix("kith: "), "\(away.errors)")
    }

    @Test func `dev starts everything, keeps its data, and stops on Ctrl-C`() async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "kith-dev-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: home) }
        let environment = [
            "KITH_HOME": home.path, "KITH_LISTEN": "127.0.0.1:0", "KITH_METRICS_LISTEN": "127.0.0.1:0",
        ]
        var keys: [String] = []
        for day in 1...3 {
            let dev = try KithProcess(["dev"], environment: environment)
            let line = try dev.waitForLog("variable=KITH_LISTEN")
            let address = try #require(line.firstMatch(of: /address=([0-9.:]+)/)?.1)
            let client = APIClient(base: try #require(URL(string: "http://\(address)")))
            while !dev.standardOutput.contains("Ctrl-C") { try await Task.sleep(for: .milliseconds(10)) }
            let key = try #require(dev.standardOutput.firstMatch(of: /kith_sk_[0-9a-f_]+/)).output
            let token = try #require(dev.standardOutput.firstMatch(of: /Alice +(\S+)/)?.1)
            let users: Kith.UserPage = try await client.get("GET", "/v1/users", as: String(key))
            #expect(users.items.compactMap(\.externalID).sorted() == ["alice", "bob", "carol"])
            let checkIn: Kith.CheckIn = try await client.get("POST", "/v1/pings/check-in", "{}", as: String(token))
            #expect(checkIn.late == 0)
            let carol = try #require(dev.standardOutput.firstMatch(of: /Carol +(\S+)/)?.1)
            let vaults: Kith.VaultPage = try await client.get("GET", "/v1/vaults", as: String(carol))
            let vault = try #require(vaults.items.first)
            #expect(vaults.items.count == 1 && vault.role == .owner)
            let trusted: Kith.VaultPage = try await client.get("GET", "/v1/vaults", as: String(token))
            #expect(trusted.items.map(\.id) == [vault.id])
            #expect(dev.standardOutput.contains("/v1/vaults/\(vault.id.text)/open"))
            if day < 3 {
                let web = WebVisitor(client, tenant: "demo")
                try await web.open("/")
                try await web.press("demo", [("person", "Bob")])
                #expect(web.page.path == "/today" && web.page.text.contains("Alice"))
            }
            if day == 2 {
                // Somebody whose account was deleted has a new one after the next start.
                let bob = try #require(dev.standardOutput.firstMatch(of: /Bob +(\S+)/)?.1)
                #expect(try await client.send("DELETE", "/v1/me?vaults=delete", as: String(bob)).status == 204)
            }
            keys.append(String(key))
            dev.signal(SIGINT)
            #expect(dev.wait() == 0, "\(dev.standardError)")
        }
        #expect(Set(keys).count == 1)
    }

    @Test func `dev starts its PostgreSQL again when it has died`() async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "kith-dev-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: home) }
        let dev = try KithProcess(
            ["dev"],
            environment: [
                "KITH_HOME": home.path, "KITH_LISTEN": "127.0.0.1:0", "KITH_METRICS_LISTEN": "127.0.0.1:0",
            ])
        let line = try dev.waitForLog("variable=KITH_LISTEN")
        let address = try #require(line.firstMatch(of: /address=([0-9.:]+)/)?.1)
        let client = APIClient(base: try #require(URL(string: "http://\(address)")))
        while !dev.standardOutput.contains("Ctrl-C") { try await Task.sleep(for: .milliseconds(10)) }
        let token = String(try #require(dev.standardOutput.firstMatch(of: /Alice +(\S+)/)?.1))
        let file = home.appending(path: "postgres/postmaster.pid")
        let postmaster = try #require(try String(contentsOf: file, encoding: .utf8).split(separator: "\n").first)
        kill(try #require(pid_t(postmaster)), SIGKILL)
        _ = try dev.waitForLog("started again")
        var status = 503
        while status == 503 {
            // The pool connects anew in its own time.
            status = try await client.send("POST", "/v1/pings/check-in", "{}", as: token).status
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(status == 200)
        dev.signal(SIGINT)
        #expect(dev.wait() == 0, "\(dev.standardError)")
    }
}

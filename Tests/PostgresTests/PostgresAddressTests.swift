import Testing

@testable import Postgres

@Suite struct `The address of a database` {
    @Test func `has hosts and a name, and nothing that a program has of its own`() throws {
        for wrong in [
            "postgresql://db", "postgresql:///kith", "host=db dbname=kith", "https://db/kith",
            "postgresql://user@db/kith",
            "postgresql://user:secret@db/kith", "postgresql://db/kith?password=secret",
            "postgresql://db/kith?options=-c",
            "postgresql://db/kith?nothing=1", "postgresql://db/kith\0", "",
        ] {
            do throws(PostgresError) {
                _ = try PostgresAddress(wrong)
                Issue.record("\(wrong) was taken")
            } catch {
                #expect(!"\(error)".contains("secret"))
            }
        }
        #expect(
            try PostgresAddress("postgresql://db1,db2:5433/kith?target_session_attrs=read-write").text.contains("db2"))
    }

    @Test func `is joined with the login of a program's URL`() throws {
        let address = try PostgresAddress("postgresql://db1,db2:5433/kith2?sslmode=require")
        let login = "postgresql://kith_api:it's%5C%20@here/kith?sslmode=verify-full&application_name=x"
        let joined = try ConnectionString.options(of: address.connectionString(loggingInAs: login))
        #expect(
            joined == [
                "host": "db1,db2", "port": joined["port"] ?? "", "dbname": "kith2", "user": "kith_api",
                "password": #"it's\ "#, "sslmode": "require", "application_name": "x",
            ])
    }
}

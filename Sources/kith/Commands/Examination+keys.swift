internal import Crypto
internal import Delivery
internal import Foundation
internal import Postgres

extension Examination {
    /// How long before its end a key or certificate is reported.
    private static let warning = 14 * 86_400

    /// Reports the secret keys of tenants that end within a fortnight and that no other key can replace. A key that was
    /// made for less than a fortnight, such as that of a shift, is meant to end.
    mutating func examineKeys(_ session: PostgresSession) {
        report(
            rows(
                session,
                """
                select format('the secret key %s of %s ends at %s', key.name, tenant.slug, internal.instant(key.expires_at)),
                  format('give the tenant''s server a new one: kith psql -c "select * from admin.create_api_key(%L, %L, %L)"', tenant.slug,
                    -- Not the key's own name: a tenant chose it, and this is pasted into a shell.
                    'next', key.scopes)
                from kith.api_keys as key
                join kith.tenants as tenant on tenant.tenant_id = key.tenant_id and tenant.deleted_at is null
                where key.revoked_at is null and key.expires_at between now() and now() + interval '14 days'
                  and key.expires_at - key.created_at > interval '14 days'
                  and not exists (
                    select from kith.api_keys as other
                    where other.tenant_id = key.tenant_id and other.id <> key.id and other.revoked_at is null
                      and (other.scopes @> key.scopes or 'all' = any (other.scopes))
                      and coalesce(other.expires_at > key.expires_at + interval '14 days', true)
                  )
                order by key.expires_at
                """),
            none:
                "secret keys that were made to last over a fortnight: none ends within 14 days without another one",
            more: "secret keys that end within a fortnight", in: "admin.api_keys where state = 'live'")
    }

    /// Reports the certificates that end within a fortnight, of those that Kith knows: of its own address, of the
    /// tenants' hosts of pages, and of KITH_CA_FILE. A server that cannot be reached from here is named, and is no
    /// finding: this may be another machine than its clients'.
    mutating func examineCertificates(_ session: PostgresSession, _ configuration: Configuration) {
        if let path = configuration.outboundRules.certificates,
            let text = try? String(contentsOfFile: path, encoding: .utf8)
        {
            guard let end = CertificateEnd.earliest(inPEM: text) else {
                return note("KITH_CA_FILE has no certificate in PEM", remedy: "name a file with certificates in PEM")
            }
            noteEnd(end, of: "KITH_CA_FILE", remedy: "put the authority's next certificate into \(path) too")
        }
        var hosts: [String] = []
        if let url = configuration.publicURL, url.hasPrefix("https://") { hosts.append(url) }
        let tenants = rows(
            session,
            """
            select 'https://' || universal_link_host, slug from kith.tenants
            where universal_link_host is not null and deleted_at is null order by slug limit 20
            """)
        hosts += tenants.map(\.0).filter { $0.hasPrefix("https://") }
        for url in hosts {
            do throws(TransferError) {
                noteEnd(
                    try ServerCertificate.end(at: url), of: url,
                    remedy: "renew it at the reverse proxy, and read why it was not renewed by itself")
            } catch {
                note("the certificate of \(url) cannot be read from here: \(error)")
            }
        }
    }

    private mutating func noteEnd(_ end: Int64, of what: String, remedy: String) {
        let left = end - Int64(Date().timeIntervalSince1970)
        let instant = Date(timeIntervalSince1970: Double(end)).ISO8601Format()
        note(
            "the certificate of \(what) \(left < 0 ? "ended" : "ends") at \(instant)",
            remedy: left < Int64(Self.warning) ? remedy : nil)
    }
}

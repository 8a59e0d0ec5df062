import Crypto
import Testing

@Suite struct `The end of certificates` {
    /// Made with `openssl req -x509 -newkey ec … -not_after`: it ends on 2035-01-01.
    private let late = """
        -----BEGIN CERTIFICATE-----
        MIIBBTCBrAIBATAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARraXRoMB4XDTI2MDEw
        MTAwMDAwMFoXDTM1MDEwMTAwMDAwMFowDzENMAsGA1UEAwwEa2l0aDBZMBMGByqG
        SM49AgEGCCqGSM49AwEHA0IABPmQGaDQwVNloesW6/fxZDQRwJqqhWP1ZaVaUVM4
        17Mz159dNl1hrm/hozirH/au2oYZjYwPfUEgp9N6cVWwZL0wCgYIKoZIzj0EAwID
        SAAwRQIgNAdk/etJvOtd9LrACANmFAhzPuBc+hRW/Cedjc7lVxECIQD1J5+Ot7KV
        fRZu48GRP8hVVIVxsPDaiaMBDeV7ZXUHqw==
        -----END CERTIFICATE-----
        """
    /// Ends on 2030-06-01.
    private let early = """
        -----BEGIN CERTIFICATE-----
        MIIBBjCBrAIBATAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARraXRoMB4XDTI2MDEw
        MTAwMDAwMFoXDTMwMDYwMTAwMDAwMFowDzENMAsGA1UEAwwEa2l0aDBZMBMGByqG
        SM49AgEGCCqGSM49AwEHA0IABCTdfVSKQU23JiORUNFj1iaJX7OLsw8/oJDvtIcz
        StcJpHWhXLbCLscB0X7pfoCiTj3xBYWpgqhTKiQnR5Krk3YwCgYIKoZIzj0EAwID
        SQAwRgIhAK4Jqe7GL7Ssfek23a6beAerM0SOc9XSnJ9PmC5s/k1CAiEAvc3YUr7z
        /99YY9XkaqEeCMKY7JgDIAyLjcY1UH0mNdQ=
        -----END CERTIFICATE-----
        """

    @Test func `is that of the first to end`() {
        #expect(CertificateEnd.earliest(inPEM: late) == 2_051_222_400)
        #expect(CertificateEnd.earliest(inPEM: late + "\n" + early) == 1_906_502_400)
        #expect(CertificateEnd.earliest(inPEM: early + "\n" + late) == 1_906_502_400)
    }

    @Test func `is unknown in a text without a certificate`() {
        for text in ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            #expect(CertificateEnd.earliest(inPEM: text) == nil)
        }
    }
}

import Foundation
import Testing

@testable import Delivery

@Suite struct `The settings of a channel` {
    private static let full = [
        "email": #"""
        {"encryption":"starttls","from":"hello@pruuf.app","from_name":"PRUUF","host":"smtp.example.com","password":"s3cret",\#
        "port":2525,"reply_to":"help@pruuf.app","unsubscribe_address":"stop@pruuf.app",\#
        "unsubscribe_url":"https://pruuf.app/stop?who={address}","username":"kith"}
        """#,
        "sms": #"""
        {"format":"json","from":"+15550100","from_field":"From","id_field":"sid","text_field":"Body","to_field":"To",\#
        "token":"s3cret","url":"https://sms.example.com/send"}
        """#,
    ]

    @Test(arguments: ["email", "sms"]) func `are the same after they are stored and read again`(_ channel: String)
        throws
    {
        let text = try #require(Self.full[channel])
        let settings = try ChannelSettings(channel: channel, json: Array(text.utf8))
        #expect(settings.channel == channel)
        #expect(String(decoding: settings.json, as: UTF8.self) == text)
        #expect(try ChannelSettings(channel: channel, json: settings.json).json == settings.json)
    }

    @Test(arguments: ["email", "sms"]) func `show no secret`(_ channel: String) throws {
        let text = try #require(Self.full[channel])
        let settings = try ChannelSettings(channel: channel, json: Array(text.utf8))
        let summary = try #require(JSONSerialization.jsonObject(with: Data(settings.summary)) as? [String: Any])
        var whole = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        whole["password"] = nil
        whole["token"] = nil
        #expect(Set(summary.keys) == Set(whole.keys))
        #expect(!String(decoding: settings.summary, as: UTF8.self).contains("s3cret"))
    }

    @Test func `have defaults for omitted members`() throws {
        func email(_ more: String) throws -> EmailSettings {
            let json = #"{"host":"smtp.example.com","from":"a@example.com"\#(more)}"#
            guard case .email(let email) = try ChannelSettings(channel: "email", json: Array(json.utf8)) else {
                throw ChannelSettingsError([])
            }
            return email
        }
        #expect(try email("").url == "smtp://smtp.example.com:587/example.com")
        #expect(try email(#","port":465"#).url == "smtps://smtp.example.com:465/example.com")
        #expect(try email(#","encryption":"tls""#).url == "smtps://smtp.example.com:465/example.com")
        #expect(try email(#","encryption":"tls","port":587,"username":null,"password":null"#).credentials == nil)
    }

    @Test(
        arguments: [
            ("email", "[]", [""]), ("email", "{", [""]), ("email", "{}", ["host", "from"]),
            ("email", #"{"host":"h","from":"a@b","port":"25"}"#, ["port"]),
            ("email", #"{"host":"h","from":"a@b","port":true}"#, ["port"]),
            ("email", #"{"host":"h","from":"a@b","port":2.5}"#, ["port"]),
            ("email", #"{"host":"h","from":"a@b","port":0}"#, ["port"]),
            ("email", #"{"host":"h/x","from":"a@b"}"#, ["host"]),
            ("email", #"{"host":"user@h","from":"a@b"}"#, ["host"]),
            ("email", #"{"host":"h","from":"a@b","encryption":"none"}"#, ["encryption"]),
            ("email", #"{"host":"h","from":"a@b","username":"x"}"#, ["password"]),
            ("email", #"{"host":"h","from":"a@b","password":"x"}"#, ["username"]),
            ("email", #"{"host":"h","from":"a@b\r\nBcc: c@d"}"#, ["from"]),
            ("email", #"{"host":"h","from":"ä@b","reply_to":"nobody"}"#, ["from", "reply_to"]),
            ("email", #"{"host":"h","from":"a@b","from_name":"x\ny"}"#, ["from_name"]),
            ("email", #"{"host":"h","from":"a@b","unsubscribe_url":"https://x.example/"}"#, ["unsubscribe_url"]),
            (
                "email", #"{"host":"h","from":"a@b","unsubscribe_url":"http://x.example/{address}"}"#,
                ["unsubscribe_url"]
            ),
            ("email", #"{"host":"h","from":"a@b","hots":"x","secret":1}"#, ["hots", "secret"]),
            ("sms", "{}", ["url", "from"]),
            ("sms", #"{"url":"http://x.example/","from":"x"}"#, ["url"]),
            ("sms", #"{"url":"https://u:p@x.example/","from":"x"}"#, ["url"]),
            ("sms", #"{"url":"https://x.example/?key=secret","from":"x"}"#, ["url"]),
            ("sms", #"{"url":"https://x.example/","from":7}"#, ["from"]),
            ("sms", #"{"url":"https://x.example/","from":"x","format":"xml"}"#, ["format"]),
            ("sms", #"{"url":"https://x.example/","from":"x","to_field":"text"}"#, ["to_field"]),
            ("sms", #"{"url":"https://x.example/","from":"x","username":"a","password":"b","token":"c"}"#, ["token"]),
            ("sms", #"{"url":"https://x.example/","from":"x","token":"a\u0000b"}"#, ["token"]),
            ("fax", "{}", ["channel"]),
        ]) func `report each invalid field`(_ channel: String, _ json: String, _ fields: [String])
    {
        let error = #expect(throws: ChannelSettingsError.self) {
            try ChannelSettings(channel: channel, json: Array(json.utf8))
        }
        #expect(error?.errors.map(\.field) == fields, "\(error as Any)")
        #expect(error?.errors.allSatisfy { !$0.message.isEmpty } == true)
    }
}

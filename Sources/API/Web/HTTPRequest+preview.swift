internal import HTTP

extension HTTPRequest {
    /// Whether a browser loads the address in advance, or for a picture of it, and nobody has opened it: `Sec-Purpose`
    /// of the Fetch Standard, what browsers sent before it, and what libraries for pages send.
    var isSpeculative: Bool {
        ["Sec-Purpose", "Purpose", "X-Purpose", "X-Sec-Purpose", "X-Moz"].contains {
            header($0).map { !$0.isEmpty } ?? false
        }
    }

    /// Whether a program asks that makes previews of links, follows them to search, or checks them for a mail server,
    /// as its `User-Agent` says.
    var isByPreviewAgent: Bool {
        let agent = (headers.list("User-Agent") ?? "").lowercased()
        return Self.previewAgents.contains { agent.contains($0) } || Self.namesBot(agent)
    }

    /// Whether an agent calls itself a bot, such as `Slackbot-LinkExpanding` or `TelegramBot (like TwitterBot)`. A
    /// phone of the maker Cubot is none, nor are the buttons of SwitchBot and the fingers of Fingerbot.
    private static func namesBot(_ agent: String) -> Bool {
        agent.matches(of: /(cu|switch|finger)?bot(?![a-z])/).contains { $0.output.1 == nil }
    }

    /// What stands in the agents of messengers, networks, office programs, mail filters and searches that do not call
    /// themselves bots.
    private static let previewAgents = [
        "barracuda", "cisco-webex", "crawl", "embedly", "facebookcatalog", "facebookexternalhit", "feedfetcher",
        "flipboardproxy", "google-pagerenderer", "google-read-aloud", "google-safety", "googledocs",
        "googleimageproxy", "iframely", "kakaotalk-scrap", "line-poker", "mastodon", "mattermost",
        "meta-externalagent", "meta-externalfetcher", "microsoft office", "mimecast", "ms-office", "preview",
        "proofpoint", "rocket.chat", "safelinks", "signal-desktop", "slack-imgproxy", "slurp", "spider", "summaly",
        "symantec", "synapse", "trendmicro", "unfurl", "urlscan", "viber", "vkshare", "whatsapp", "yahoomailproxy",
    ]
}

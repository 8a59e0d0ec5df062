extension Preparation {
    /// The steps for the calls that set a tenant's channels and texts.
    static let channels: [String: Step] = [
        "listTenantTexts": { call, _ in call.path["locale"] = "de" },
        "setTenantTexts": { call, _ in call.path["locale"] = "de" },
        "resetTenantTexts": { call, _ in call.path["locale"] = "de" },
        "listChannels": { _, stage in _ = try await stage.do("setEmailChannel") },
        "setApnsChannel": nothing,
        "setWebPushChannel": nothing,
        "setEmailChannel": nothing,
        "setSmsChannel": nothing,
        "setVoiceChannel": nothing,
        "deleteVoiceChannel": { _, stage in _ = try await stage.do("setVoiceChannel") },
        "deleteApnsChannel": { _, stage in _ = try await stage.do("setApnsChannel") },
        "deleteWebPushChannel": { _, stage in _ = try await stage.do("setWebPushChannel") },
        "deleteEmailChannel": { _, stage in _ = try await stage.do("setEmailChannel") },
        "deleteSmsChannel": { _, stage in _ = try await stage.do("setSmsChannel") },
        "getWebPushKey": { _, stage in _ = try await stage.do("setWebPushChannel") },
    ]
}

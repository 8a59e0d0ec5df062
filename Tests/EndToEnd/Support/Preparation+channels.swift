extension Preparation {
    /// The steps for the calls that set a tenant's channels.
    static let channels: [String: Step] = [
        "getTenantChannels": { _, stage in _ = try await stage.do("putTenantChannelsEmail") },
        "putTenantChannelsApns": nothing,
        "putTenantChannelsWebPush": nothing,
        "putTenantChannelsEmail": nothing,
        "putTenantChannelsSms": nothing,
        "deleteTenantChannelsApns": { _, stage in _ = try await stage.do("putTenantChannelsApns") },
        "deleteTenantChannelsWebPush": { _, stage in _ = try await stage.do("putTenantChannelsWebPush") },
        "deleteTenantChannelsEmail": { _, stage in _ = try await stage.do("putTenantChannelsEmail") },
        "deleteTenantChannelsSms": { _, stage in _ = try await stage.do("putTenantChannelsSms") },
        "getMeWebPushKey": { _, stage in _ = try await stage.do("putTenantChannelsWebPush") },
    ]
}

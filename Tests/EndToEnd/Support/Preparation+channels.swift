extension Preparation {
    /// By which providers a tenant's messages leave.
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

/// Lets a tenant's provider call people.
struct VoiceChannel: DeliveryChannel {
    let settings: VoiceSettings
    let transfers: Transfers

    /// Asks the provider to call. Returns its id of the call, if it reports one.
    func send(_ message: Message) async throws(DeliveryError) -> String? {
        let channel = SMSChannel(settings: settings.message, transfers: transfers)
        return try await channel.send(request(message))
    }

    /// The request that starts the call of `message`.
    func request(_ message: Message) -> Transfer {
        var fields = [
            (settings.message.toField, message.address), (settings.message.fromField, settings.message.from),
            (settings.message.textField, message.text), (settings.languageField, message.language ?? "en"),
        ]
        if let field = settings.callbackField, let callback = message.callback {
            fields.append((field, callback))
            // Twilio says who answered only if it is asked to find out
            // (https://www.twilio.com/docs/voice/answering-machine-detection). It then asks what to say when it knows.
            // It reports a call that nobody answers to StatusCallback alone.
            if settings.inbound?.speaksTwiML == true {
                fields += [("StatusCallback", callback), ("MachineDetection", "Enable")]
            }
        }
        return SMSChannel(settings: settings.message, transfers: transfers).request(fields, id: message.id)
    }
}

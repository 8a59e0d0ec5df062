// A server needs one import, KithServer, for the values and problems that this library shares with KithClient
// (docs/decisions/0057).
@_exported public import KithCalls

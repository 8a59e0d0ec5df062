"""A provider of text messages and calls that speaks Twilio's protocol, as its documentation describes it.

    POST /2010-04-01/Accounts/SID/Messages.json   takes a message: To, From, Body
    POST /2010-04-01/Accounts/SID/Calls.json      starts a call: To, From, Url; the last digit of To decides what happens:
                                                  1, 2 or 7: somebody answers and presses that key; 0: a machine answers;
                                                  9: nobody answers; any other: somebody answers and presses nothing.
                                                  What became of it goes to StatusCallback.
                                                  It says who answered only if MachineDetection is Enable
    PUT /text                                     somebody sends a text: {"url", "from", "text", "id"}; answered with our server's status

Calls and texts come to Kith as forms with X-Twilio-Signature: the base64 of the HMAC-SHA1, under the auth token, of the URL and of each field's
name and value in the order of the names (https://www.twilio.com/docs/usage/security). --server is where the host of the URLs really is.

Every request, and what was answered to one of ours, is a line of JSON on the standard output stream; the first line has the port.
"""

import argparse
import base64
import hashlib
import hmac
import http.server
import itertools
import json
import re
import ssl
import threading
import urllib.error
import urllib.parse
import urllib.request

arguments = argparse.ArgumentParser()
arguments.add_argument("--certificate", required=True, help="PEM of the certificate and its key")
arguments.add_argument("--server", required=True, help="the address of the server, such as http://127.0.0.1:8080")
arguments.add_argument("--token", required=True, help="the auth token of the account")
options = arguments.parse_args()

ids = itertools.count(1)
writing = threading.Lock()


def log(**what):
    with writing:
        print(json.dumps(what), flush=True)


def signature(url, fields):
    text = url + "".join(name + fields[name] for name in sorted(fields))
    return base64.b64encode(hmac.new(options.token.encode(), text.encode(), hashlib.sha1).digest()).decode()


def post(url, fields):
    """Sends a signed form to our server; the status and the body of the answer."""
    parts = urllib.parse.urlsplit(url)
    real = options.server + urllib.parse.urlunsplit(("", "", parts.path, parts.query, ""))
    request = urllib.request.Request(
        real, urllib.parse.urlencode(fields).encode(),
        {"Content-Type": "application/x-www-form-urlencoded; charset=UTF-8", "X-Twilio-Signature": signature(url, fields)},
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            status, body = answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        status, body = error.code, error.read().decode()
    log(posted=url, fields=fields, status=status, body=body)
    return status, body


def call(to, url, status_url, detects):
    """What happens on a call. Without detection, a machine is asked as a person would be, and whatever it plays may be taken for a key."""
    fields = {"AccountSid": "AC1", "CallSid": f"CA{next(ids)}", "To": to, "From": "+15005550006", "Direction": "outbound-api"}
    key = to[-1]
    if key == "9":
        return status_url and post(status_url, fields | {"CallStatus": "no-answer", "CallDuration": "0"})
    answered_by = {"AnsweredBy": "machine_start" if key == "0" else "human"} if detects else {}
    _, twiml = post(url, fields | {"CallStatus": "in-progress"} | answered_by)
    if key != "0":
        action = re.search(r'<Gather[^>]* action="([^"]*)"', twiml)
        if action and key in "127":
            post(action[1].replace("&amp;", "&"), fields | {"CallStatus": "in-progress", "Digits": key})
    if status_url:
        post(status_url, fields | {"CallStatus": "completed", "CallDuration": "12"})


class Provider(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()

    def answer(self, status, value):
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_POST(self):
        fields = dict(urllib.parse.parse_qsl(self.body()))
        log(method="POST", path=self.path, authorization=self.headers.get("Authorization"), fields=fields)
        if self.path.endswith("/Messages.json"):
            return self.answer(201, {"sid": f"SM{next(ids)}", "status": "queued"})
        if self.path.endswith("/Calls.json"):
            arguments = (fields["To"], fields["Url"], fields.get("StatusCallback"), fields.get("MachineDetection") == "Enable")
            threading.Thread(target=call, args=arguments, daemon=True).start()
            return self.answer(201, {"sid": f"CA{next(ids)}", "status": "queued"})
        return self.answer(404, {"code": 20404})

    def do_PUT(self):
        text = json.loads(self.body())
        status, _ = post(
            text["url"],
            {
                "ToCountry": "DE", "SmsMessageSid": text["id"], "NumMedia": "0", "SmsSid": text["id"], "FromCountry": "DE",
                "Body": text["text"], "To": "+15005550006", "NumSegments": "1", "MessageSid": text["id"], "AccountSid": "AC1",
                "From": text["from"], "ApiVersion": "2010-04-01",
            },
        )
        return self.answer(200, {"status": status})


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(options.certificate)
server.socket = context.wrap_socket(server.socket, server_side=True)
log(port=server.server_address[1])
server.serve_forever()

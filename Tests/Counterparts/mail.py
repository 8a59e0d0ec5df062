"""An SMTP server (aiosmtpd) that accepts mail, and refuses what the recipient's address asks it to refuse.

The recipient `rcpt-550-5.1.1@…` is answered «550 5.1.1», a mail to `data-451-4.3.0@…` is answered «451 4.3.0» after its data, and
`silent@…` is never answered. While the file `--mood` is not empty, the text of a mail to `stall@example.com` is not read, and the file says
how every other mail is answered after its data: `451 4.3.0` refuses it, `take 30` takes it and answers after that many seconds, and `twice`
takes it and answers twice. Every accepted mail is a line of JSON on the standard output stream; the first line has the port.
"""

import argparse
import asyncio
import json
import socket
import ssl

from aiosmtpd.smtp import SMTP, AuthResult

arguments = argparse.ArgumentParser()
arguments.add_argument("--certificate", required=True, help="PEM of the certificate and its key")
arguments.add_argument("--tls", action="store_true", help="encrypts from the first byte on")
arguments.add_argument("--plain", action="store_true", help="knows no encryption")
arguments.add_argument("--password", help="lets only kith with this password in")
arguments.add_argument("--mood", help="a file with what each mail meets")
arguments.add_argument("--mute-quit", action="store_true", help="never answers to QUIT")
options = arguments.parse_args()


def log(**what):
    print(json.dumps(what), flush=True)


def refusal(address, step):
    """The reply that the address asks for at the step, or None."""
    words = address.split("@")[0].split("-")
    return f"{words[1]} {words[2]} as you wish, <{address}>" if words[0] == step else None


class Handler:
    def __init__(self):
        self.taken = 0

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("silent@"):
            log(silent=True)
            await asyncio.Event().wait()
        reply = refusal(address, "rcpt")
        if reply is None:
            envelope.rcpt_tos.append(address)
        return reply or "250 2.1.5 Ok"

    async def handle_DATA(self, server, session, envelope):
        reply = refusal(envelope.rcpt_tos[0], "data")
        mood, _, seconds = (open(options.mood).read() if options.mood else "").partition(" ")
        if mood.isdigit():
            reply = f"{mood} {seconds} not now"
        if reply is None:
            self.taken += 1
            log(
                sender=envelope.mail_from,
                recipients=envelope.rcpt_tos,
                data=envelope.content.decode(),
                greeting=session.host_name,
                is_encrypted=options.tls or session.ssl is not None,
                is_known=session.authenticated is True,
            )
            if mood == "take":
                await asyncio.sleep(float(seconds))
            reply = f"250 2.0.0 Ok: queued as {self.taken}"
        return f"{reply}\r\n{reply}" if mood == "twice" else reply

    async def handle_QUIT(self, server, session, envelope):
        if options.mute_quit:
            await asyncio.Event().wait()
        return "221 2.0.0 Bye"


class Session(SMTP):
    """A connection, which can stop reading in the middle of a mail."""

    async def smtp_DATA(self, arg):
        if self.envelope.rcpt_tos[:1] == ["stall@example.com"]:
            self.transport.pause_reading()
            log(stalled=True)
            self.resuming = asyncio.create_task(self.resume())
        await super().smtp_DATA(arg)

    async def resume(self):
        while open(options.mood).read():
            await asyncio.sleep(0.01)
        self.transport.resume_reading()

    def connection_lost(self, error):
        super().connection_lost(error)
        if hasattr(self, "resuming"):
            log(lost=True)


def authenticate(server, session, envelope, mechanism, data):
    # Not handled: the server sends the reply.
    return AuthResult(success=data.login == b"kith" and data.password == options.password.encode(), handled=False)


async def main():
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(options.certificate)
    handler = Handler()

    def session():
        return Session(
            handler,
            hostname="localhost",
            enable_SMTPUTF8=True,
            tls_context=None if options.plain or options.tls else context,
            require_starttls=not (options.plain or options.tls),
            auth_required=options.password is not None,
            auth_require_tls=not (options.plain or options.tls),
            authenticator=authenticate if options.password else None,
        )

    listener = socket.create_server(("127.0.0.1", 0))
    # What a server does not read, the connection holds: little, so that a mail of a megabyte is not sent as a whole.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    server = await asyncio.get_running_loop().create_server(session, sock=listener, ssl=context if options.tls else None)
    log(port=server.sockets[0].getsockname()[1])
    await server.serve_forever()


asyncio.run(main())

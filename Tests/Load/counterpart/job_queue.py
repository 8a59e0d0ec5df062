"""The same deliveries as jobs of procrastinate, the best known job queue on PostgreSQL: claim, POST, complete.

`job_queue.py schema`, `defer JOBS` or `work CONCURRENCY`, with DATABASE_URL, SINK and the provider's CERTIFICATE.
"""

import asyncio
import logging
import os
import ssl
import sys

import aiohttp
import procrastinate
import uvloop

# Suppresses the advice to create the app in another module, which concerns other ways to run it.
logging.getLogger("procrastinate").setLevel(logging.ERROR)

app = procrastinate.App(
    connector=procrastinate.PsycopgConnector(conninfo=os.environ["DATABASE_URL"], min_size=4, max_size=12)
)
session: aiohttp.ClientSession | None = None


@app.task(name="send", queue="deliveries", retry=10)
async def send(to: str, text: str, key: str) -> None:
    """One message, as the SMS channel sends it."""
    form = {"To": to, "From": "Kith", "Body": text}
    async with session.post(os.environ["SINK"], data=form, headers={"Idempotency-Key": key}) as answer:
        answer.raise_for_status()
        await answer.read()


async def main(verb: str, number: int) -> None:
    global session
    async with app.open_async():
        match verb:
            case "schema":
                await app.schema_manager.apply_schema_async()
            case "defer":
                for first in range(0, number, 1000):
                    await send.batch_defer_async(*(
                        {"to": f"+4915{n:09}", "text": "Let your receivers know you're safe.", "key": f"job-{n}"}
                        for n in range(first, min(first + 1000, number))
                    ))
            case "work":
                tls = ssl.create_default_context(cafile=os.environ["CERTIFICATE"])
                async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=number, ssl=tls)) as session:
                    await app.run_worker_async(
                        queues=["deliveries"], concurrency=number, wait=False, install_signal_handlers=False,
                        listen_notify=False,
                    )


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0))

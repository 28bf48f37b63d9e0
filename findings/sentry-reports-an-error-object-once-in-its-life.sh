#!/usr/bin/env bash
# Sentry sends an error object once in its life; every later report of it is dropped, and gets an identifier that nobody finds.
#
# Library    @sentry/core 11.12.0, without any of its integrations
# Behaviour  A promise is kept for its result (a directory's keys, a connection), and it has failed; each request awaits it and
#            reports the failure. Sentry marks the error object at the first report and drops it from then on, whatever tags, user
#            or time the later reports have: an outage that hits everybody for days is one event of one person. An error made once
#            and thrown often is treated the same. This is not the deduplication of equal events in a row, which can be switched
#            off. The call still returns a fresh event identifier, which support then looks for in vain. A frozen error cannot be
#            marked, and is sent each time.
# Source     docs.sentry.io/platforms/javascript/guides/node/usage (captureException), and the output below, seen on Node 20.20.2
#            on 2026-11-28.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund @sentry/core@11.12.0
cat >try.mjs <<'JS'
import { captureException, createTransport, flush, setCurrentClient } from '@sentry/core';
import { ServerRuntimeClient } from '@sentry/core/server';

const sent = [];
const client = new ServerRuntimeClient({
  dsn: 'https://key@sentry.example.test/1',
  integrations: [],
  stackParser: () => [],
  transport: (options) => createTransport(options, async () => ({ statusCode: 200 })),
  beforeSend: (event) => void sent.push(event) ?? event,
});
setCurrentClient(client);
client.init();

async function report(what, failing) {
  const identifiers = [];
  for (const person of ['Ada', 'Bob', 'Cy']) {
    await failing.catch((error) => identifiers.push(captureException(error, { user: { id: person } })));
  }
  await flush(100);
  const people = sent.splice(0).map((event) => event.user.id);
  console.log(`${what}: ${new Set(identifiers).size} identifiers, sent for ${people.join(', ')}`);
}

await report('one promise', Promise.reject(new Error('The directory does not answer.')));
await report('its error frozen', Promise.reject(Object.freeze(new Error('The directory does not answer.'))));
JS
diff - <(node try.mjs) <<'SEEN'
one promise: 3 identifiers, sent for Ada
its error frozen: 3 identifiers, sent for Ada, Bob, Cy
SEEN
echo 'as described'

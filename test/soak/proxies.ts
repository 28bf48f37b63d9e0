import assert from 'node:assert/strict';
import {
  isInstalled,
  type ProxyKind,
  refusalOf,
  restartInTurn,
  startAnyProxy,
  startInstance,
  startProxy,
} from '../support/proxies.js';

/** Runs the proxies of this machine with the configurations of the operator's guide. */
const kinds: readonly ProxyKind[] = ['haproxy', 'nginx'];

async function tryProxy(kind: ProxyKind): Promise<object> {
  const instances = [await startInstance(), await startInstance()];
  const proxy = await startProxy(kind, instances);
  try {
    const restarted = await restartInTurn(proxy, instances);
    assert.deepEqual(restarted.failed, []);
    for (const instance of instances) instance.isReady = false;
    await assertOwnAnswer(await refusalOf(proxy));
    for (const instance of instances) await instance.stop();
    await assertOwnAnswer(await refusalOf(proxy));
    return { kind, requests: restarted.requests, failed: restarted.failed.length };
  } finally {
    await proxy.stop();
    for (const instance of instances) await instance.end();
  }
}

async function assertOwnAnswer(answer: Response): Promise<void> {
  const { status, headers } = answer;
  assert.deepEqual(
    [status, headers.get('content-type'), headers.get('x-error-code'), headers.get('retry-after')],
    [503, 'application/json; charset=utf-8', 'unavailable', '5'],
  );
  assert.equal(JSON.parse(await answer.text()).error, 'Service Unavailable');
}

for (const kind of kinds) {
  if (!isInstalled(kind)) {
    process.stdout.write(`${kind} is not installed here; install it (apt-get install ${kind})\n`);
    process.exitCode = 1;
  } else {
    process.stdout.write(`${JSON.stringify(await tryProxy(kind))}\n`);
  }
}

/** An `idp_id` with a slash arrives as it was sent. */
const path = '/api/v2/organizations/1/members/a%2Fb%20c%252F/upcoming_meetings?items=1';
for (const kind of ['apache2', 'lighttpd', 'nginx', 'haproxy'] as const) {
  if (!isInstalled(kind)) {
    process.stdout.write(`${kind} is not installed here; install it (apt-get install ${kind})\n`);
    process.exitCode = 1;
  } else {
    const instance = await startInstance();
    const proxy = await startAnyProxy(kind, instance);
    try {
      assert.equal((await fetch(`${proxy.url}${path}`)).status, 200);
      assert.equal(instance.urls.at(-1), path, kind);
      process.stdout.write(`${JSON.stringify({ kind, path: instance.urls.at(-1) })}\n`);
    } finally {
      await proxy.stop();
      await instance.end();
    }
  }
}

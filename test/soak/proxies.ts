import assert from 'node:assert/strict';
import {
  isInstalled,
  type ProxyKind,
  refusalOf,
  restartInTurn,
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

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Instance,
  isInstalled,
  type ProxyKind,
  type RunningProxy,
  withProxy,
} from '../support/proxies.js';

/** No request fails while instances are restarted behind the proxies of this machine, as the operator's guide configures them. */
const kinds: readonly ProxyKind[] = ['haproxy', 'nginx'];

async function tryProxy(kind: ProxyKind): Promise<void> {
  await withProxy(kind, async (proxy, instances) => {
    const { requests, failed } = await restartInTurn(proxy, instances);
    assert.deepEqual(failed, []);
    process.stdout.write(`${JSON.stringify({ kind, requests })}\n`);
  });
}

/** Sends requests continually. Returns their number, and the responses other than 200 and the errors. */
async function restartInTurn(proxy: RunningProxy, instances: readonly Instance[]) {
  let [isStopped, requests] = [false, 0];
  const failed: string[] = [];
  const sending = [0, 1].map(async () => {
    while (!isStopped) {
      const answered = await fetch(`${proxy.url}/api/v2/authenticate`).then(
        async (answer) => `${answer.status} ${await answer.text()}`,
        (error: unknown) => String(error),
      );
      requests += 1;
      if (!answered.startsWith('200 ')) failed.push(answered);
      await pause(5);
    }
  });
  for (const instance of instances) {
    await instance.stop();
    await pause(1_000);
    await instance.start();
    await pause(6_000);
  }
  isStopped = true;
  await Promise.all(sending);
  return { requests, failed };
}

for (const kind of kinds) {
  if (!isInstalled(kind)) {
    process.stdout.write(`${kind} is not installed here; install it (apt-get install ${kind})\n`);
    process.exitCode = 1;
  } else {
    await tryProxy(kind);
  }
}

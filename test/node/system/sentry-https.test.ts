import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { startReceiver } from '../../support/receiver.js';
import { context, key, neverReached, remarks, startSentryForEachTest, tracker } from './sentry-server.js';

startSentryForEachTest();

describe('Reports over HTTPS', () => {
  test('a server with an untrusted certificate gets nothing', async () => {
    const receiver = await startReceiver();
    const one = tracker({ dsn: `https://${key}@127.0.0.1:${receiver.port}/1` });
    one.report(new Error('x'), context);
    await one.flush(30_000);
    await receiver.stop();
    assert.deepEqual(receiver.requests, []);
    assert.deepEqual(remarks().slice(1), [neverReached(1)]);
  });

  test('an authority in NODE_EXTRA_CA_CERTS is trusted, and the process ends when the report has been sent', async () => {
    const receiver = await startReceiver();
    const folder = mkdtempSync(join(tmpdir(), 'rollcall-sentry-'));
    const authority = join(folder, 'authority.pem');
    writeFileSync(authority, receiver.authority);
    const program = `
      import { createLog } from ${JSON.stringify(import.meta.resolve('#adapters/node/system/log.js'))};
      import { sentryErrorTracker } from ${JSON.stringify(import.meta.resolve('#adapters/node/system/sentry-error-tracker.js'))};
      const log = createLog({ level: 'silent' });
      const tracker = sentryErrorTracker({ dsn: 'https://${key}@127.0.0.1:${receiver.port}/1', release: 'r', log });
      tracker.report(new Error('sent'), { severity: 'error', operation: 'o', requestId: null });`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: authority },
      timeout: 240_000,
    });
    await receiver.stop();
    rmSync(folder, { recursive: true });
    assert.deepEqual(
      receiver.requests.map(({ path, body }) => [
        path.replace(/\?.*/, ''),
        /"value":"(\w+)"/.exec(body.toString())?.[1],
      ]),
      [['/api/1/envelope/', 'sent']],
    );
  });
});

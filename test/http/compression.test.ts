import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createGunzip, gunzipSync } from 'node:zlib';
import { pathOf } from '../support/http/operations.js';
import { beginExport, endlessChunks, exportPath, startExporting } from '../support/http/streamed-export.js';
import { eventually, gate } from '../support/wait.js';

describe('Compressed exports (decision 105)', () => {
  test('a client that accepts gzip gets the same bytes compressed, each chunk at once; other clients do not', async (t) => {
    let held = gate();
    const service = await startExporting(t, async function* () {
      yield Buffer.from('{"name":"ä"}');
      await held.pass();
      yield Buffer.from(',{"name":"b"}');
    });
    for (const [accepted, isCompressed] of [
      ['gzip', true],
      ['br;q=1.0, GZIP;q=0.5, *;q=0', true],
      ['gzip;q=0, identity', false],
      ['identity, gzip;q=0.9', false],
      ['br, deflate', false],
      ['*', true],
      ['', false],
    ] as const) {
      held = gate();
      const response = await beginExport(service, { 'Accept-Encoding': accepted });
      assert.equal(response.headers.vary, 'Accept-Encoding');
      assert.equal(response.headers['content-encoding'], isCompressed ? 'gzip' : undefined, accepted);
      const body = isCompressed ? response.pipe(createGunzip()) : response;
      let text = '';
      body.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      await eventually(() => assert.equal(text, '{"success":true,"meetings":[{"name":"ä"}'));
      held.release();
      await eventually(() => assert.ok(text.endsWith(',{"name":"b"}]}')));
    }
  });

  test('a compressed answer that fails in the middle is incomplete', async (t) => {
    const service = await startExporting(t, async function* () {
      yield Buffer.from('{"name":"a"}');
      await pause(20);
      throw new Error('gone');
    });
    const response = await beginExport(service, { 'Accept-Encoding': 'gzip' });
    const chunks: Buffer[] = [];
    await new Promise<void>((resolve) =>
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', () => undefined)
        .on('close', resolve),
    );
    assert.equal(response.complete, false);
    assert.throws(() => gunzipSync(Buffer.concat(chunks)), { code: 'Z_BUF_ERROR' });
  });

  test('a compressed answer is released when its reader disconnects', async (t) => {
    const endless = endlessChunks();
    const service = await startExporting(t, endless.chunks);
    const response = await beginExport(service, { 'Accept-Encoding': 'gzip' });
    response.destroy();
    await eventually(() => assert.equal(endless.isReleased, true));
    assert.deepEqual(service.reports, []);
  });

  test('a page is compressed if that makes it smaller, and has a length; HEAD has the same headers', async (t) => {
    for (const [rows, isCompressed] of [
      [1, false],
      [200, true],
    ] as const) {
      const text = Array.from({ length: rows }, () => '{"name":"Grief"}').join();
      const service = await startExporting(
        t,
        async function* () {
          yield Buffer.from(text);
        },
        rows,
      );
      const pageRequest = { path: `${exportPath}&page=1`, headers: { 'Accept-Encoding': 'gzip' } };
      const response = await beginExport(service, pageRequest.headers, pageRequest.path);
      const bytes = Buffer.concat((await response.toArray()) as Buffer[]);
      assert.equal(response.headers['content-encoding'], isCompressed ? 'gzip' : undefined);
      assert.equal(response.headers['content-length'], String(bytes.length));
      const whole = (isCompressed ? gunzipSync(bytes) : bytes).toString();
      assert.ok(whole.endsWith(`"meetings":[${text}]}`));
      const head = await service.client.send('HEAD', pathOf(service.own.id, pageRequest.path), {
        headers: { ...pageRequest.headers, Authorization: `Bearer ${service.own.token}` },
      });
      assert.equal(head.headers['content-length'], String(bytes.length));
      assert.equal(head.headers['content-encoding'], response.headers['content-encoding']);
    }
  });
});

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Refusal, Unavailable } from '@rollcall/core';
import { pathOf } from '../support/http/operations.js';
import {
  beginExport,
  type Exporting,
  endlessChunks,
  exportPath,
  readUntilEnd,
  sendExport,
  startExporting,
  throwing,
} from '../support/http/streamed-export.js';
import { eventually, gate } from '../support/wait.js';

/** Sends a request of HTTP/1.0. `end` is the code of the error with which the connection ends, or `end`. */
function readWithoutChunks(
  { own, client }: Exporting,
  headers: readonly string[],
): Promise<{ readonly bytes: Buffer; readonly end: string }> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const head = [
      `GET ${pathOf(own.id, exportPath)} HTTP/1.0`,
      `Authorization: Bearer ${own.token}`,
      ...headers,
    ];
    const done = (end: string) => () => resolve({ bytes: Buffer.concat(parts), end });
    const socket = connect(client.port, '127.0.0.1', () => socket.write(`${head.join('\r\n')}\r\n\r\n`));
    socket
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', done('end'))
      .on('error', (error: NodeJS.ErrnoException) => done(error.code ?? '')());
  });
}

describe('An export over HTTP/1.0, which has no chunks', () => {
  const rows = async function* () {
    yield Buffer.from('{"name":"a"},');
    yield Buffer.from('{"name":"b"}');
  };
  const forms = [[], ['Accept: text/csv'], ['Accept: application/x-ndjson'], ['Connection: keep-alive']];
  const headers = [...forms, ...forms.map((form) => [...form, 'Accept-Encoding: gzip'])];

  test('ends with its connection when it is complete', async (t) => {
    const service = await startExporting(t, rows);
    for (const form of headers) {
      const { bytes, end } = await readWithoutChunks(service, form);
      assert.equal(end, 'end', form.join());
      const text = bytes.toString('latin1');
      assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
      assert.doesNotMatch(text, /\r\nTransfer-Encoding/i);
    }
  });

  test('is reset when it breaks off', async (t) => {
    const service = await startExporting(t, async function* () {
      yield* rows();
      await pause(20);
      throw new Error('the database is gone');
    });
    for (const form of headers) {
      const { bytes, end } = await readWithoutChunks(service, form);
      assert.equal(end, 'ECONNRESET', form.join());
      assert.ok(bytes.length > 0);
    }
  });

  test('is reset when the server stops before its end', async (t) => {
    const endless = endlessChunks();
    const service = await startExporting(t, endless.chunks);
    const ended = readWithoutChunks(service, []);
    await eventually(() => assert.ok(endless.given > 2));
    service.server.server.closeAllConnections();
    assert.equal((await ended).end, 'ECONNRESET');
  });
});

describe('Streaming of an export (4.6)', () => {
  test('chunks are sent after the metadata, as one JSON document', async (t) => {
    const service = await startExporting(
      t,
      async function* () {
        yield Buffer.from('{"name":"a"},');
        yield Buffer.from('{"name":"b"}');
      },
      2,
    );
    assert.equal(
      (await service.own.get(exportPath)).text,
      '{"success":true,"meetings":[{"name":"a"},{"name":"b"}]}',
    );
    const page = await service.own.get(`${exportPath}&page=1`);
    const metadata = '{"page":1,"per_page":100,"total_pages":1,"total_count":2}';
    assert.equal(page.text, `{"success":true,"metadata":${metadata},"meetings":[{"name":"a"},{"name":"b"}]}`);
    assert.equal(page.headers['content-length'], String(page.text.length));
  });

  for (const [name, query] of [
    ['the whole export', ''],
    ['a page', '&page=1'],
  ] as const) {
    test(`${name}: a failure before the first byte is 400, reported with severity info`, async (t) => {
      const error = new Error('disk /dev/sda is gone');
      const service = await startExporting(t, () => throwing(error), 0);
      const { status, text } = await service.own.get(`${exportPath}${query}`);
      assert.deepEqual([status, text], [400, '{"error":"The export failed"}']);
      assert.equal(service.reports.length, 1);
      assert.equal(service.reports[0]?.error, error);
      assert.equal(service.reports[0]?.severity, 'info');
    });

    test(`${name}: an unreachable database before the first byte is 503`, async (t) => {
      const service = await startExporting(t, () => throwing(new Unavailable('away')), 0);
      assert.equal((await service.own.get(`${exportPath}${query}`)).status, 503);
      assert.deepEqual(service.reports, []);
    });
  }

  test('an export beyond the limit is 429 with Retry-After, and no failure is reported', async (t) => {
    const service = await startExporting(t, () =>
      throwing(new Refusal('too-many-requests', 'At most 3 exports run at the same time', 10)),
    );
    const { status, headers, text } = await service.own.get(exportPath);
    assert.deepEqual(
      [status, headers['x-error-code'], headers['retry-after'], text],
      [429, 'too-many-requests', '10', '{"error":"At most 3 exports run at the same time"}'],
    );
    assert.deepEqual(service.reports, []);
  });

  test('a page that fails in the middle is 400 too', async (t) => {
    const service = await startExporting(
      t,
      async function* () {
        yield Buffer.from('{"name":"a"}');
        throw new Error('gone');
      },
      2,
    );
    assert.equal((await service.own.get(`${exportPath}&page=1`)).status, 400);
  });

  for (const error of [new Error('gone'), new Unavailable('away')]) {
    test(`after the first byte ${error.name} ends the connection, so that the answer is visibly incomplete, and is reported`, async (t) => {
      const service = await startExporting(t, async function* () {
        yield Buffer.from('{"name":"a"}');
        await pause(20);
        throw error;
      });
      const { text, isComplete } = await readUntilEnd(await beginExport(service));
      assert.deepEqual([text, isComplete], ['{"success":true,"meetings":[{"name":"a"}', false]);
      assert.deepEqual(
        service.reports.map(({ severity, operation }) => [severity, operation]),
        [['info', 'exportMeetings']],
      );
      await eventually(() => assert.equal(service.lines.at(-1)?.cutOff, true));
    });
  }

  test('the first byte does not wait for the last row', async (t) => {
    const held = gate();
    const service = await startExporting(t, async function* () {
      yield Buffer.from('{"name":"a"}');
      await held.pass();
      yield Buffer.from(',{"name":"b"}');
    });
    const response = await beginExport(service);
    let text = '';
    response.on('data', (chunk) => {
      text += chunk;
    });
    await eventually(() => assert.equal(text, '{"success":true,"meetings":[{"name":"a"}'));
    held.release();
    await eventually(() => assert.ok(text.endsWith(',{"name":"b"}]}')));
  });

  test('when the client disconnects, the rows are released at once', async (t) => {
    const endless = endlessChunks();
    const service = await startExporting(t, endless.chunks);
    const response = await beginExport(service);
    response.destroy();
    await eventually(() => assert.equal(endless.isReleased, true));
    assert.deepEqual(service.reports, []);
    await eventually(() => assert.equal(service.lines.at(-1)?.cutOff, true));
  });

  test('when the client disconnects, rows that are being awaited are released too', async (t) => {
    const held = gate();
    let isReleased = false;
    const chunks: AsyncIterableIterator<Uint8Array> = {
      [Symbol.asyncIterator]: () => chunks,
      next: async () => ({ done: true, value: await held.pass() }),
      async return() {
        isReleased = true;
        return { done: true, value: undefined };
      },
    };
    const service = await startExporting(t, () => chunks);
    const outgoing = sendExport(service);
    outgoing.on('error', () => undefined);
    await held.reached(1);
    outgoing.destroy();
    await eventually(() => assert.equal(isReleased, true));
    held.release();
  });

  test('when the client disconnects before the first row, the rows are released, and nothing is answered', async (t) => {
    const held = gate();
    let isReleased = false;
    const service = await startExporting(t, async function* () {
      try {
        await held.pass();
        yield Buffer.from('{"name":"a"}');
      } finally {
        isReleased = true;
      }
    });
    const outgoing = sendExport(service);
    outgoing.on('error', () => undefined);
    await held.reached(1);
    outgoing.destroy();
    await eventually(() => assert.equal(service.lines.at(-1)?.cutOff, true));
    held.release();
    await eventually(() => assert.equal(isReleased, true));
    assert.deepEqual(service.reports, []);
  });

  test('HEAD reads one chunk and releases the rest', async (t) => {
    const endless = endlessChunks();
    const service = await startExporting(t, endless.chunks);
    const headers = { Authorization: `Bearer ${service.own.token}` };
    const { status } = await service.client.send('HEAD', pathOf(service.own.id, exportPath), { headers });
    assert.equal(status, 200);
    await eventually(() => assert.deepEqual([endless.given, endless.isReleased], [1, true]));
  });
});

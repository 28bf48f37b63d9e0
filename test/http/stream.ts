import assert from 'node:assert/strict';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createGunzip, gunzipSync } from 'node:zlib';
import { Refusal, Unavailable } from '@rollcall/core';
import express from 'express';
import { type Pace, writeStreamed } from '#adapters/express/stream.js';
import { type HttpService, startHttpService, type TestOrganization } from '../support/http/service.js';
import { eventually, gate } from '../support/http/wait.js';
import { pathOf } from './operations.js';

type Chunks = () => AsyncIterable<Uint8Array>;

/** How an export leaves: piece by piece, and never as a false whole. */
export function streamSuite(): void {
  const exporting = async (
    t: TestContext,
    chunks: Chunks,
    total: number | null = null,
  ): Promise<
    HttpService & { readonly organization: HttpService['organization']; readonly own: TestOrganization }
  > => {
    const service = await startHttpService();
    t.after(service.stop);
    service.replace('meetings', {
      export: async ({ page }) => ({ total: page === null ? null : total, chunks: chunks() }),
    });
    return { ...service, own: await service.organization() };
  };
  const path = '/export_meetings?column=name';

  describe('The export as it leaves (4.6, decision 26)', () => {
    test('chunks are joined between head and end, and metadata comes first', async (t) => {
      const service = await exporting(
        t,
        async function* () {
          yield Buffer.from('{"name":"a"},');
          yield Buffer.from('{"name":"b"}');
        },
        2,
      );
      assert.equal(
        (await service.own.get(path)).text,
        '{"success":true,"meetings":[{"name":"a"},{"name":"b"}]}',
      );
      const page = await service.own.get(`${path}&page=1`);
      const metadata = '{"page":1,"per_page":100,"total_pages":1,"total_count":2}';
      assert.equal(
        page.text,
        `{"success":true,"metadata":${metadata},"meetings":[{"name":"a"},{"name":"b"}]}`,
      );
      assert.equal(page.headers['content-length'], String(page.text.length));
    });

    for (const [name, query] of [
      ['all', ''],
      ['a page', '&page=1'],
    ] as const) {
      test(`${name}: a failure before the first byte is 400, reported at severity info`, async (t) => {
        const error = new Error('disk /dev/sda is gone');
        const service = await exporting(t, () => throwing(error), 0);
        const { status, text } = await service.own.get(`${path}${query}`);
        assert.deepEqual([status, text], [400, '{"error":"The export failed"}']);
        assert.equal(service.reports.length, 1);
        assert.equal(service.reports[0]?.error, error);
        assert.equal(service.reports[0]?.severity, 'info');
      });

      test(`${name}: a database that is away before the first byte is 503`, async (t) => {
        const service = await exporting(t, () => throwing(new Unavailable('away')), 0);
        assert.equal((await service.own.get(`${path}${query}`)).status, 503);
        assert.deepEqual(service.reports, []);
      });
    }

    test('one for which there is no place is 429 with Retry-After, and nobody is told of a failure', async (t) => {
      const service = await exporting(t, () =>
        throwing(new Refusal('too-many-requests', 'At most 3 exports run at the same time', 10)),
      );
      const { status, headers, text } = await service.own.get(path);
      assert.deepEqual(
        [status, headers['x-error-code'], headers['retry-after'], text],
        [429, 'too-many-requests', '10', '{"error":"At most 3 exports run at the same time"}'],
      );
      assert.deepEqual(service.reports, []);
    });

    test('a page that fails in its middle is 400 all the same', async (t) => {
      const service = await exporting(
        t,
        async function* () {
          yield Buffer.from('{"name":"a"}');
          throw new Error('gone');
        },
        2,
      );
      assert.equal((await service.own.get(`${path}&page=1`)).status, 400);
    });

    for (const error of [new Error('gone'), new Unavailable('away')]) {
      test(`after the first byte ${error.name} ends the connection: never a well-formed half, and it is reported`, async (t) => {
        const service = await exporting(t, async function* () {
          yield Buffer.from('{"name":"a"}');
          await pause(20);
          throw error;
        });
        const { text, isComplete } = await readUntilEnd(await begin(service));
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
      const service = await exporting(t, async function* () {
        yield Buffer.from('{"name":"a"}');
        await held.pass();
        yield Buffer.from(',{"name":"b"}');
      });
      const response = await begin(service);
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      await eventually(() => assert.equal(text, '{"success":true,"meetings":[{"name":"a"}'));
      held.release();
      await eventually(() => assert.ok(text.endsWith(',{"name":"b"}]}')));
    });

    test('a reader who stops is waited for, and nothing piles up', async (t) => {
      const endless = endlessChunks();
      const service = await exporting(t, endless.chunks);
      const response = await begin(service);
      response.pause();
      let given = 0;
      for (let before = -1; given !== before; await pause(200)) [before, given] = [given, endless.given];
      assert.ok(given < 500, `${given} chunks of 64 KB`);
      response.destroy();
    });

    test('when the client leaves, the rows are given up at once', async (t) => {
      const endless = endlessChunks();
      const service = await exporting(t, endless.chunks);
      const response = await begin(service);
      response.destroy();
      await eventually(() => assert.equal(endless.isGivenUp, true));
      assert.deepEqual(service.reports, []);
      await eventually(() => assert.equal(service.lines.at(-1)?.cutOff, true));
    });

    test('when the client leaves, rows that are still waited for are given up as well', async (t) => {
      const held = gate();
      let isGivenUp = false;
      const chunks: AsyncIterableIterator<Uint8Array> = {
        [Symbol.asyncIterator]: () => chunks,
        next: async () => ({ done: true, value: await held.pass() }),
        async return() {
          isGivenUp = true;
          return { done: true, value: undefined };
        },
      };
      const service = await exporting(t, () => chunks);
      const outgoing = send(service);
      outgoing.on('error', () => undefined);
      await held.begun(1);
      outgoing.destroy();
      await eventually(() => assert.equal(isGivenUp, true));
      held.release();
    });

    test('when the client leaves before the first row, the rows are given up, and nothing is answered', async (t) => {
      const held = gate();
      let isGivenUp = false;
      const service = await exporting(t, async function* () {
        try {
          await held.pass();
          yield Buffer.from('{"name":"a"}');
        } finally {
          isGivenUp = true;
        }
      });
      const outgoing = send(service);
      outgoing.on('error', () => undefined);
      await held.begun(1);
      outgoing.destroy();
      await eventually(() => assert.equal(service.lines.at(-1)?.cutOff, true));
      held.release();
      await eventually(() => assert.equal(isGivenUp, true));
      assert.deepEqual(service.reports, []);
    });

    test('others have their turn after every chunk, though the kernel takes all of them at once', async (t) => {
      const service = await exporting(t, async function* () {
        for (let count = 0; count < 200; count += 1) yield Buffer.alloc(100, ' ');
      });
      let turns = 0;
      const turn = (): void => {
        turns += 1;
        next = setImmediate(turn);
      };
      let next = setImmediate(turn);
      assert.equal((await service.own.get(path)).status, 200);
      clearImmediate(next);
      assert.ok(turns >= 200, `${turns} turns`);
    });

    test('others are answered while a reader takes everything at once', async (t) => {
      const endless = endlessChunks();
      const service = await exporting(t, endless.chunks);
      const response = await begin(service);
      response.resume();
      for (let count = 0; count < 20; count += 1) {
        const start = performance.now();
        assert.equal((await service.client.send('GET', '/healthz')).status, 200);
        assert.ok(performance.now() - start < 1000);
      }
      response.destroy();
    });

    test('HEAD reads one chunk and gives the rest up', async (t) => {
      const endless = endlessChunks();
      const service = await exporting(t, endless.chunks);
      const headers = { Authorization: `Bearer ${service.own.token}` };
      const { status } = await service.client.send('HEAD', pathOf(service.own.id, path), { headers });
      assert.equal(status, 200);
      await eventually(() => assert.deepEqual([endless.given, endless.isGivenUp], [1, true]));
    });

    test('whoever asks for gzip gets the same bytes packed, every chunk at once, and nobody else does', async (t) => {
      let held = gate();
      const service = await exporting(t, async function* () {
        yield Buffer.from('{"name":"ä"}');
        await held.pass();
        yield Buffer.from(',{"name":"b"}');
      });
      for (const [accepted, isPacked] of [
        ['gzip', true],
        ['br;q=1.0, GZIP;q=0.5, *;q=0', true],
        ['gzip;q=0, identity', false],
        ['identity, gzip;q=0.9', false],
        ['br, deflate', false],
        ['*', true],
        ['', false],
      ] as const) {
        held = gate();
        const response = await begin(service, { 'Accept-Encoding': accepted });
        assert.equal(response.headers.vary, 'Accept-Encoding');
        assert.equal(response.headers['content-encoding'], isPacked ? 'gzip' : undefined, accepted);
        const body = isPacked ? response.pipe(createGunzip()) : response;
        let text = '';
        body.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        await eventually(() => assert.equal(text, '{"success":true,"meetings":[{"name":"ä"}'));
        held.release();
        await eventually(() => assert.ok(text.endsWith(',{"name":"b"}]}')));
      }
    });

    test('a packed answer that fails in its middle has no end either', async (t) => {
      const service = await exporting(t, async function* () {
        yield Buffer.from('{"name":"a"}');
        await pause(20);
        throw new Error('gone');
      });
      const response = await begin(service, { 'Accept-Encoding': 'gzip' });
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

    test('a packed answer is given up when its reader leaves', async (t) => {
      const endless = endlessChunks();
      const service = await exporting(t, endless.chunks);
      const response = await begin(service, { 'Accept-Encoding': 'gzip' });
      response.destroy();
      await eventually(() => assert.equal(endless.isGivenUp, true));
      assert.deepEqual(service.reports, []);
    });

    test('a page is packed where that makes it smaller, with its length; HEAD tells the same', async (t) => {
      for (const [rows, isPacked] of [
        [1, false],
        [200, true],
      ] as const) {
        const text = Array.from({ length: rows }, () => '{"name":"Grief"}').join();
        const service = await exporting(
          t,
          async function* () {
            yield Buffer.from(text);
          },
          rows,
        );
        const asked = { path: `${path}&page=1`, headers: { 'Accept-Encoding': 'gzip' } };
        const response = await begin(service, asked.headers, asked.path);
        const bytes = Buffer.concat((await response.toArray()) as Buffer[]);
        assert.equal(response.headers['content-encoding'], isPacked ? 'gzip' : undefined);
        assert.equal(response.headers['content-length'], String(bytes.length));
        const whole = (isPacked ? gunzipSync(bytes) : bytes).toString();
        assert.ok(whole.endsWith(`"meetings":[${text}]}`));
        const head = await service.client.send('HEAD', pathOf(service.own.id, asked.path), {
          headers: { ...asked.headers, Authorization: `Bearer ${service.own.token}` },
        });
        assert.equal(head.headers['content-length'], String(bytes.length));
        assert.equal(head.headers['content-encoding'], response.headers['content-encoding']);
      }
    });

    const paced = async (t: TestContext, chunks: Chunks, pace: Partial<Pace>): Promise<IncomingMessage> => {
      const app = express();
      app.get('/', (request, response) =>
        writeStreamed(
          request,
          response,
          { before: '', chunks: chunks(), after: '', isSmall: false },
          { pace },
        ),
      );
      const server = createServer(app).listen(0, '127.0.0.1');
      t.after(() => {
        server.closeAllConnections();
        server.close();
      });
      await new Promise((resolve) => server.once('listening', resolve));
      const { port } = server.address() as AddressInfo;
      const response = await new Promise<IncomingMessage>((resolve) => httpRequest({ port }, resolve).end());
      return response.on('error', () => undefined);
    };

    test('a reader without progress is cut off, a slow one is not', async (t) => {
      const endless = endlessChunks();
      const response = await paced(t, endless.chunks, { stallMs: 500 });
      for (let count = 0; count < 10; count += 1) {
        await pause(80);
        for (let reads = 0; reads < 100; reads += 1) await pause(0, response.read());
      }
      assert.equal(endless.isGivenUp, false);
      response.pause();
      await eventually(() => assert.equal(endless.isGivenUp, true));
    });

    test('a reader who takes less than the least rate is cut off, though there is progress all the time', async (t) => {
      for (const [leastRate, isCutOff] of [
        [1e3, false],
        [1e9, true],
      ] as const) {
        const endless = endlessChunks();
        const response = await paced(t, endless.chunks, { stallMs: 600, leastRate });
        const until = performance.now() + 2_500;
        while (performance.now() < until && !endless.isGivenUp) {
          await pause(80);
          for (let reads = 0; reads < 100; reads += 1) await pause(0, response.read());
        }
        assert.equal(endless.isGivenUp, isCutOff, `at least ${leastRate} bytes a second`);
      }
    });

    test('no reader is waited for any longer when the answer has taken too long in all', async (t) => {
      const endless = endlessChunks();
      const response = await paced(t, endless.chunks, { longestMs: 600 });
      const begun = performance.now();
      const until = begun + 5_000;
      while (performance.now() < until && !endless.isGivenUp) {
        await pause(40);
        for (let reads = 0; reads < 100; reads += 1) await pause(0, response.read());
      }
      assert.equal(endless.isGivenUp, true);
      assert.ok(performance.now() - begun >= 600);
    });
  });
}

// biome-ignore lint/correctness/useYield: what fails before its first row gives none
async function* throwing(error: Error): AsyncGenerator<Uint8Array> {
  throw error;
}

function endlessChunks() {
  const seen = {
    given: 0,
    isGivenUp: false,
    chunks: async function* (): AsyncGenerator<Uint8Array> {
      const row = Buffer.alloc(64 * 1024, '0');
      try {
        for (;;) {
          seen.given += 1;
          yield row;
        }
      } finally {
        seen.isGivenUp = true;
      }
    },
  };
  return seen;
}

interface Exporting {
  readonly client: HttpService['client'];
  readonly own: TestOrganization;
}

function send(
  { client, own }: Exporting,
  headers: Readonly<Record<string, string>> = {},
  path = '/export_meetings?column=name',
) {
  return httpRequest({
    port: client.port,
    path: pathOf(own.id, path),
    headers: { Authorization: `Bearer ${own.token}`, ...headers },
  }).end();
}

function begin(service: Exporting, ...asked: [headers?: Record<string, string>, path?: string]) {
  return new Promise<IncomingMessage>((resolve, reject) =>
    send(service, ...asked)
      .on('response', resolve)
      .on('error', reject),
  );
}

function readUntilEnd(
  response: IncomingMessage,
): Promise<{ readonly text: string; readonly isComplete: boolean }> {
  return new Promise((resolve) => {
    let text = '';
    response
      .on('data', (chunk) => {
        text += chunk;
      })
      .on('error', () => undefined)
      .on('close', () => resolve({ text, isComplete: response.complete }));
  });
}

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, type ClientOptions, createClient } from '@rollcall/contracts/client';
import { eventName } from '#core/testing/subscribe.js';
import { type HttpService, startHttpService } from '../support/http/service.js';
import { listen } from '../support/listen.js';

const WEBHOOK = '/organizations/{organization_id}/webhook';
const one = { params: { path: { organization_id: '1' } } };
const USERS = '/organizations/{id}/users';
const ofOne = { params: { path: { id: '1' } } };

/** What a server answers to one request. */
interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Closes the connection without an answer. */
  readonly isCut?: boolean;
}

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

const unauthorized: Answer = {
  status: 401,
  headers: { 'X-Error-Code': 'unauthorized-access' },
  body: { error: 'Unauthorized Access' },
};
const busy: Answer = {
  status: 429,
  headers: { 'X-Error-Code': 'too-many-requests', 'Retry-After': '0' },
  body: { error: 'Too Many Requests' },
};
const away: Answer = {
  status: 503,
  headers: { 'X-Error-Code': 'unavailable', 'Retry-After': '0' },
  body: { error: 'Service Unavailable' },
};
const running: Answer = {
  status: 409,
  headers: { 'X-Error-Code': 'idempotency-key-in-use', 'Retry-After': '0' },
  body: { error: 'The first request with this Idempotency-Key is still running' },
};
const webhookAnswer: Answer = {
  body: { success: true, webhook: null, available_events: [eventName] },
};

/** A client of a server that gives these answers, in order, to everything but `authenticate`. */
async function withAnswers(
  answers: readonly Answer[],
  use: (client: ReturnType<typeof createClient>, seen: readonly Seen[]) => Promise<void>,
  options: Partial<ClientOptions> = {},
): Promise<void> {
  const seen: Seen[] = [];
  const left = [...answers];
  let tokens = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method, url, headers } = request;
    seen.push({ method, url, authorization: headers.authorization, body: Buffer.concat(chunks).toString() });
    tokens += url === '/api/v2/authenticate' ? 1 : 0;
    const next = url === '/api/v2/authenticate' ? { body: { token: `token ${tokens}` } } : left.shift();
    const { status = 200, headers: more = {}, body = {}, isCut = false }: Answer = next ?? { status: 500 };
    if (isCut) return void request.socket.destroy();
    response.writeHead(status, { 'X-Request-Id': 'request-1', 'Content-Type': 'application/json', ...more });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  await withServer(
    (request, response) => void answer(request, response),
    async (port) => {
      const baseUrl = `http://127.0.0.1:${port}/api/v2`;
      await use(createClient({ baseUrl, accessKey: '1'.repeat(24), ...options }), seen);
      assert.deepEqual(left, []);
    },
  );
}

async function withServer(listener: RequestListener, use: (port: number) => Promise<void>): Promise<void> {
  const server = createServer(listener);
  try {
    await use(await listen(server));
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const paths = (seen: readonly Seen[]) =>
  seen.map(({ method, url }) => `${method} ${url?.replace('/api/v2', '')}`);

describe('The token', () => {
  test('is got with the first request, and used for all, also for those sent at once', async () => {
    await withAnswers([webhookAnswer, webhookAnswer, webhookAnswer], async (client, seen) => {
      const [first] = await Promise.all([client.get(WEBHOOK, one), client.get(WEBHOOK, one)]);
      assert.deepEqual(first, webhookAnswer.body);
      await client.get(WEBHOOK, one);
      assert.deepEqual(paths(seen), [
        'POST /authenticate',
        ...Array.from({ length: 3 }, () => 'GET /organizations/1/webhook'),
      ]);
      assert.equal(seen[0]?.body, `{"access_key":"${'1'.repeat(24)}"}`);
      assert.ok(seen.slice(1).every(({ authorization }) => authorization === 'Bearer token 1'));
      assert.equal(seen[0]?.authorization, undefined);
    });
  });

  test('is renewed once when it has expired, and the body is sent again', async () => {
    await withAnswers([unauthorized, webhookAnswer, webhookAnswer], async (client, seen) => {
      const body = { webhook: { enabled: false } };
      await client.patch(WEBHOOK, { ...one, body });
      await client.get(WEBHOOK, one);
      assert.deepEqual(
        seen.map(({ authorization }) => authorization),
        [undefined, 'Bearer token 1', undefined, 'Bearer token 2', 'Bearer token 2'],
      );
      assert.deepEqual([seen[1]?.body, seen[3]?.body], [JSON.stringify(body), JSON.stringify(body)]);
    });
  });

  test('of many requests whose token has expired, one renews it', async () => {
    let tokens = 0;
    await withServer(
      (request, response) => {
        const isKey = request.url === '/api/v2/authenticate';
        tokens += isKey ? 1 : 0;
        const isExpired = !isKey && request.headers.authorization !== 'Bearer token 2';
        response.writeHead(isExpired ? 401 : 200, isExpired ? { 'X-Error-Code': 'unauthorized-access' } : {});
        response.end(isKey ? `{"token":"token ${tokens}"}` : '{}');
      },
      async (port) => {
        const client = createClient({ baseUrl: `http://127.0.0.1:${port}/api/v2`, accessKey: 'x' });
        await Promise.all(Array.from({ length: 10 }, () => client.get(WEBHOOK, one)));
        assert.equal(tokens, 2);
      },
    );
  });

  for (const [name, first] of [
    ['503', away],
    ['a cut connection', { isCut: true }],
  ] as const)
    test(`is asked for again after ${name}`, async () => {
      let tokens = 0;
      await withServer(
        (request, response) => {
          const isKey = request.url === '/api/v2/authenticate';
          tokens += isKey ? 1 : 0;
          if (!isKey || tokens > 1) return void response.end(isKey ? '{"token":"token"}' : '{}');
          if ('isCut' in first) return void request.socket.destroy();
          response.writeHead(first.status ?? 500, first.headers).end(JSON.stringify(first.body));
        },
        async (port) => {
          const client = createClient({ baseUrl: `http://127.0.0.1:${port}/api/v2`, accessKey: 'x' });
          await Promise.all([
            client.get(WEBHOOK, one),
            client.post(WEBHOOK, { ...one, body: { webhook: { enabled: true } } }),
          ]);
          assert.equal(tokens, 2);
        },
      );
    });

  for (const isRenewed of [false, true])
    test(`${isRenewed ? 'that is renewed' : 'of the first requests'}: a signal ends the wait of its own request only`, {
      timeout: 240_000,
    }, async () => {
      let tokens = 0;
      let calls = 0;
      const answers: (() => void)[] = [];
      await withServer(
        (request, response) => {
          if (request.url === '/api/v2/authenticate') {
            tokens += 1;
            const answer = (): void => void response.end(`{"token":"token ${tokens}"}`);
            if (isRenewed && tokens === 1) answer();
            else answers.push(answer);
            return;
          }
          calls += 1;
          const isExpired = isRenewed && request.headers.authorization !== 'Bearer token 2';
          response.writeHead(
            isExpired ? 401 : 200,
            isExpired ? { 'X-Error-Code': 'unauthorized-access' } : {},
          );
          response.end('{}');
        },
        async (port) => {
          const client = createClient({ baseUrl: `http://127.0.0.1:${port}/api/v2`, accessKey: 'x' });
          const other = client.get(WEBHOOK, one);
          while (answers.length === 0) await pause(5);
          const signal = AbortSignal.timeout(300);
          await assert.rejects(client.get(WEBHOOK, { ...one, signal }), { name: 'TimeoutError' });
          await assert.rejects(client.get(WEBHOOK, { ...one, signal }), { name: 'TimeoutError' });
          assert.equal(answers.length, 1);
          answers[0]?.();
          await other;
          assert.deepEqual([tokens, calls], isRenewed ? [2, 2] : [1, 1]);
        },
      );
    });

  test('is not asked for by a request that is aborted before', async () => {
    await withAnswers([], async (client, seen) => {
      const signal = AbortSignal.abort();
      await assert.rejects(client.get(WEBHOOK, { ...one, signal }), { name: 'AbortError' });
      assert.deepEqual(seen, []);
    });
  });

  test('that is refused again is an error', async () => {
    await withAnswers([unauthorized, unauthorized], async (client) => {
      await assert.rejects(client.get(WEBHOOK, one), { code: 'unauthorized-access', status: 401 });
    });
  });
});

describe('Errors', () => {
  test('have the code, the status, the request id, the headers and the body', async () => {
    const answer = {
      status: 422,
      headers: { 'X-Error-Code': 'invalid-webhook', 'X-More': 'more' },
      body: { success: false, errors: ['webhook.url must be …', 'another'] },
    };
    await withAnswers([answer], async (client) => {
      const error: unknown = await client
        .post(WEBHOOK, { ...one, body: { webhook: { enabled: true } } })
        .catch((e) => e);
      assert.ok(error instanceof ApiError && error instanceof Error);
      assert.deepEqual(
        [
          error.status,
          error.code,
          error.requestId,
          error.retryAfter,
          error.body,
          error.headers.get('X-More'),
        ],
        [422, 'invalid-webhook', 'request-1', null, answer.body, 'more'],
      );
      assert.equal(error.message, 'webhook.url must be …; another (request request-1)');
    });
  });

  test('of a proxy have a status and a text', async () => {
    const answer = { status: 502, headers: { 'Content-Type': 'text/html' }, body: '<h1>Bad Gateway</h1>' };
    await withAnswers([answer], async (client) => {
      await assert.rejects(client.get(WEBHOOK, one), { status: 502, code: null, body: answer.body });
    });
  });

  test('of the access key are told, and the next request tries again', async () => {
    let refusals = 0;
    await withServer(
      (request, response) => {
        const isKey = request.url === '/api/v2/authenticate';
        refusals += isKey ? 1 : 0;
        const isRefused = isKey && refusals === 1;
        response.writeHead(isRefused ? 401 : 200, isRefused ? { 'X-Error-Code': 'invalid-access-key' } : {});
        response.end(isRefused ? '{"error":"Invalid Access Key"}' : '{"token":"token"}');
      },
      async (port) => {
        const client = createClient({ baseUrl: `http://127.0.0.1:${port}/api/v2/`, accessKey: 'x' });
        await assert.rejects(client.get(WEBHOOK, one), { code: 'invalid-access-key' });
        await client.get(WEBHOOK, one);
        assert.equal(refusals, 2);
      },
    );
  });
});

describe('A redirect', () => {
  for (const status of [301, 302, 303, 307, 308]) {
    test(`with ${status} is an error, and nothing is sent to the other address`, async () => {
      let arrived = 0;
      const other: RequestListener = (_request, response) => {
        arrived += 1;
        response.end('{"token":"token"}');
      };
      await withServer(other, async (otherPort) => {
        const location = `http://127.0.0.1:${otherPort}/api/v2`;
        const message = `The response redirects to ${location}. The API never redirects: check baseUrl`;
        const redirect = { status, headers: { Location: location } };
        await withAnswers([redirect, redirect], async (client) => {
          const isRedirect = { status, message: `${message} (request request-1)` };
          await assert.rejects(client.get(WEBHOOK, one), isRedirect);
          const body = { webhook: { enabled: true } };
          await assert.rejects(client.post(WEBHOOK, { ...one, redirect: 'follow', body }), isRedirect);
        });
        await withServer(
          (_request, response) => response.writeHead(status, { Location: location }).end(),
          async (port) => {
            const client = createClient({ baseUrl: `http://127.0.0.1:${port}/api/v2`, accessKey: 'x' });
            await assert.rejects(client.get(WEBHOOK, one), { name: 'ApiError', status, message });
          },
        );
      });
      assert.equal(arrived, 0);
    });
  }

  test('that a browser hides is an error, too', async () => {
    const hidden = Object.defineProperties(Response.error(), { type: { value: 'opaqueredirect' } });
    const client = createClient({
      baseUrl: 'http://api.test/api/v2',
      accessKey: 'x',
      fetch: async () => hidden,
    });
    await assert.rejects(client.get(WEBHOOK, one), {
      name: 'ApiError',
      status: 0,
      message: 'The response redirects. The API never redirects: check baseUrl',
    });
  });
});

describe('Waiting', () => {
  test('any request waits after 429, as Retry-After says', async () => {
    const slow = { ...busy, headers: { ...busy.headers, 'Retry-After': '1' } };
    await withAnswers([slow, webhookAnswer], async (client) => {
      const start = performance.now();
      await client.post(WEBHOOK, { ...one, body: { webhook: { enabled: true } } });
      const elapsed = performance.now() - start;
      assert.ok(elapsed >= 990, `${elapsed} ms`);
    });
  });

  test('a request whose key is in use waits for the first answer', async () => {
    await withAnswers([running, running, webhookAnswer], async (client) => {
      const body = { webhook: { enabled: true }, regenerate_secret: '1' } as const;
      await client.patch(WEBHOOK, { ...one, headers: { 'Idempotency-Key': 'k' }, body });
    });
  });

  for (const [name, answer] of [
    ['503', away],
    ['a cut connection', { isCut: true }],
  ] as const) {
    test(`after ${name}, a GET and a request with an Idempotency-Key are sent again, and no other`, async () => {
      const options = { maxAttempts: 2 };
      await withAnswers(
        [answer, webhookAnswer, answer, webhookAnswer],
        async (client) => {
          await client.get(WEBHOOK, one);
          const body = { webhook: { enabled: true }, regenerate_secret: '1' } as const;
          await client.post(WEBHOOK, { ...one, headers: { 'Idempotency-Key': 'k' }, body });
        },
        options,
      );
      await withAnswers(
        [answer],
        async (client, seen) => {
          await assert.rejects(client.post(WEBHOOK, { ...one, body: { webhook: { enabled: true } } }));
          assert.deepEqual(paths(seen), ['POST /authenticate', 'POST /organizations/1/webhook']);
        },
        options,
      );
    });
  }

  for (const [name, answer] of [
    ['503', away],
    ['a cut connection', { isCut: true }],
  ] as const) {
    test(`after ${name}, a request whose Idempotency-Key is ignored is not repeated`, async () => {
      const headers = { 'Idempotency-Key': 'k' };
      const user = { email: 'dana@example.test', first_name: 'Dana', last_name: 'Kim' };
      await withAnswers(
        Array.from({ length: 6 }, () => answer),
        async (client, seen) => {
          const body = { webhook: { enabled: true } } as const;
          await assert.rejects(client.post(WEBHOOK, { ...one, headers, body }));
          await assert.rejects(client.patch(WEBHOOK, { ...one, headers, body }));
          const kept = { ...body, regenerate_secret: '0' } as const;
          await assert.rejects(client.post(WEBHOOK, { ...one, headers, body: kept }));
          await assert.rejects(
            client.post('/organizations/{organization_id}/webhook/test', { ...one, headers }),
          );
          await assert.rejects(
            client.post('/organizations/{id}/users/{uuid}/generate_otl_url', {
              params: { path: { id: '1', uuid: 'f289fcd0-dbd6-466a-8a76-5c5ecbca0dbf' } },
              headers,
            }),
          );
          await assert.rejects(
            client.post('/organizations/{id}/invite_user', { ...ofOne, headers, body: user }),
          );
          assert.equal(seen.length, 7);
        },
      );
    });
  }

  test('after 503, every operation that knows the Idempotency-Key is repeated', async () => {
    const headers = { 'Idempotency-Key': 'k' };
    const body = { webhook: { enabled: true }, regenerate_secret: '1' } as const;
    const users = [{ email: 'dana@example.test', first_name: 'Dana', last_name: 'Kim' }];
    const delivery = { params: { path: { organization_id: '1', delivery_id: '7' } } };
    await withAnswers(
      Array.from({ length: 5 }, () => [away, webhookAnswer]).flat(),
      async (client) => {
        await client.post('/organizations/{id}/invite_users', { ...ofOne, headers, body: { users } });
        await client.post(WEBHOOK, { ...one, headers, body });
        await client.patch(WEBHOOK, { ...one, headers, body });
        await client.post('/organizations/{organization_id}/webhook/deliveries/{delivery_id}/redeliver', {
          ...delivery,
          headers,
        });
        await client.post('/organizations/{organization_id}/webhook/redeliver_failed', {
          ...one,
          headers,
          body: { since: '2026-11-20T10:00:00Z' },
        });
      },
      { maxAttempts: 2 },
    );
  });

  test('while the first request with its key is running, waits on, and does not count that as attempts', async () => {
    const answers = [...Array.from({ length: 12 }, () => running), busy, webhookAnswer];
    await withAnswers(
      answers,
      async (client, seen) => {
        const body = { webhook: { enabled: true }, regenerate_secret: '1' } as const;
        await client.post(WEBHOOK, { ...one, headers: { 'Idempotency-Key': 'k' }, body });
        assert.equal(seen.length, 1 + answers.length);
      },
      { maxAttempts: 2 },
    );
  });

  test('gives up when a request with its key has been running for more than a minute', async () => {
    await withAnswers(
      Array.from({ length: 76 }, () => running),
      async (client) => {
        const body = { webhook: { enabled: true }, regenerate_secret: '1' } as const;
        const again = client.post(WEBHOOK, { ...one, headers: { 'Idempotency-Key': 'k' }, body });
        await assert.rejects(again, { status: 409, code: 'idempotency-key-in-use' });
      },
      { maxAttempts: 1 },
    );
  });

  test('ends after maxAttempts, with the last error', async () => {
    const last = { ...busy, body: { error: 'last' } };
    await withAnswers(
      [busy, busy, last],
      async (client) => {
        await assert.rejects(client.get(WEBHOOK, one), {
          code: 'too-many-requests',
          body: { error: 'last' },
        });
      },
      { maxAttempts: 3 },
    );
  });

  test('a wait that is longer than maxWaitSeconds is an error at once', async () => {
    const long = { ...busy, headers: { ...busy.headers, 'Retry-After': '61' } };
    await withAnswers([long], async (client) => {
      await assert.rejects(client.get(WEBHOOK, one), { code: 'too-many-requests', retryAfter: 61 });
    });
  });

  test('a signal ends the wait', async () => {
    const long = { ...busy, headers: { ...busy.headers, 'Retry-After': '30' } };
    await withAnswers([long], async (client) => {
      const signal = AbortSignal.timeout(1_000);
      await assert.rejects(client.get(WEBHOOK, { ...one, signal }), { name: 'TimeoutError' });
    });
  });
});

describe('Lists', () => {
  const user = (email: string) => ({ id: email, email });
  const page = (emails: readonly string[], next: string | null) => ({
    body: { success: true, users: emails.map(user), next },
  });

  test('are followed to their end, and a page is requested when it is needed', async () => {
    await withAnswers([page(['a', 'b'], 'c1'), page([], 'c2'), page(['c'], null)], async (client, seen) => {
      const emails: string[] = [];
      for await (const { email } of client.items(USERS, {
        params: { path: { id: 1 }, query: { limit: 2, role: 'member' } },
      })) {
        emails.push(email);
        if (emails.length === 1) assert.equal(seen.length, 2);
      }
      assert.deepEqual(emails, ['a', 'b', 'c']);
      assert.deepEqual(paths(seen).slice(1), [
        'GET /organizations/1/users?limit=2&role=member',
        'GET /organizations/1/users?limit=2&role=member&after=c1',
        'GET /organizations/1/users?limit=2&role=member&after=c2',
      ]);
    });
  });

  test('can be left, and gone on with from a page’s cursor', async () => {
    await withAnswers([page(['a'], 'c1'), page(['b'], null)], async (client, seen) => {
      let after: string | null = null;
      for await (const { next } of client.pages(USERS, ofOne)) {
        after = next;
        break;
      }
      assert.equal(after, 'c1');
      const init = { params: { path: { id: '1' }, query: { after: 'c1' } } };
      for await (const { users } of client.pages(USERS, init)) assert.equal(users[0]?.email, 'b');
      assert.equal(seen.at(-1)?.url, '/api/v2/organizations/1/users?after=c1');
    });
  });

  test('whose cursor never ends, such as events, end when there is no more', async () => {
    const events = (more: boolean) => ({ body: { success: true, events: [{}], next: 'c', has_more: more } });
    await withAnswers([events(true), events(false)], async (client) => {
      let count = 0;
      for await (const _ of client.items(USERS, ofOne)) count += 1;
      assert.equal(count, 2);
    });
  });

  test('end when the cursor of a page is the one that was sent', async () => {
    await withAnswers([page(['a'], 'c'), page(['b'], 'c')], async (client, seen) => {
      for await (const _ of client.items(USERS, ofOne)) assert.ok(seen.length < 4);
      assert.equal(seen.length, 3);
    });
  });

  test('with page numbers are followed to the last page', async () => {
    const meetings = (number: number) => ({
      body: { current_page: number, items: 2, total_items: 5, total_pages: 3, meetings: [{ id: number }] },
    });
    await withAnswers([2, 3].map(meetings), async (client, seen) => {
      const path = { organization_id: 1, id: 'idp-0' };
      const ids: number[] = [];
      for await (const { id } of client.items(
        '/organizations/{organization_id}/members/{id}/upcoming_meetings',
        {
          params: { path, query: { page: 2, items: 2 } },
        },
      ))
        ids.push(id);
      assert.deepEqual(ids, [2, 3]);
      const upcoming = 'GET /organizations/1/members/idp-0/upcoming_meetings';
      assert.deepEqual(paths(seen).slice(1), [`${upcoming}?page=2&items=2`, `${upcoming}?page=3&items=2`]);
    });
  });

  test('of an export are pages, even where none was asked for', async () => {
    const exported = (number: number) => ({
      body: {
        success: true,
        metadata: { page: number, per_page: 100, total_pages: 2, total_count: 101 },
        meetings: [{ name: `meeting ${number}` }],
      },
    });
    const path = '/organizations/{id}/export_meetings';
    const params = { path: { id: 1 }, query: { 'column[]': ['name' as const] } };
    await withAnswers([1, 2].map(exported), async (client, seen) => {
      const names: unknown[] = [];
      for await (const { name } of client.items(path, { params })) names.push(name);
      assert.deepEqual(names, ['meeting 1', 'meeting 2']);
      assert.deepEqual(
        seen.slice(1).map(({ url }) => new URL(url ?? '', 'http://h').searchParams.get('page')),
        ['1', '2'],
      );
    });
    await withAnswers([{ body: { success: true, meetings: [] } }], async (client) => {
      for await (const _ of client.items(path, { params: { path: { id: 1 } } })) assert.fail();
    });
  });

  test('are not any other path', async () => {
    for (const [path, body] of [
      ['/healthz', { status: 'ok' }],
      ['/organizations/{id}/export_meetings/columns', { success: true, columns: [{ key: 'name' }] }],
      ['/openapi.json', '"text"'],
    ] as const)
      await withAnswers([{ body }], async (client) => {
        await assert.rejects(
          async () => {
            for await (const _ of client.items(path as typeof USERS, ofOne)) assert.fail();
          },
          { name: 'TypeError', message: `${path} is not a list: its answer has no pages. Use get instead.` },
        );
      });
  });
});

describe('A mistake in the call', () => {
  const accessKey = '1'.repeat(24);
  const baseUrl = 'http://127.0.0.1:9/api/v2';
  const fullUrl = 'baseUrl must be the full URL of the API, such as https://example.com/api/v2.';
  const keyText =
    'accessKey must be a string: the 24 digits of your access key. As a number they would lose digits.';
  for (const [name, options, message] of [
    ['no options', undefined, fullUrl],
    ['no baseUrl', { accessKey }, fullUrl],
    ['a relative baseUrl', { baseUrl: '/api/v2', accessKey }, fullUrl],
    ['a baseUrl without a scheme', { baseUrl: 'localhost:3000/api/v2', accessKey }, fullUrl],
    [
      'a baseUrl without the version',
      { baseUrl: 'http://127.0.0.1:9', accessKey },
      'baseUrl must end in /api/v2. It is http://127.0.0.1:9/.',
    ],
    ['no access key', { baseUrl }, keyText],
    ['an access key that is a number', { baseUrl, accessKey: 1e23 }, keyText],
  ] as const)
    test(`is told at once: ${name}`, () => {
      assert.throws(() => createClient(options as unknown as ClientOptions), { name: 'TypeError', message });
    });

  test('takes a baseUrl with a slash at its end', async () => {
    await withAnswers([webhookAnswer], async (client) => void (await client.get(WEBHOOK, one)));
    createClient({ baseUrl: `${baseUrl}/`, accessKey });
  });

  test('is told before anything is sent: a path parameter that is missing', async () => {
    await withAnswers([], async (client, seen) => {
      const forgotten = (init: object) => client.get(USERS, init as typeof ofOne);
      const error = {
        name: 'TypeError',
        message: `id of ${USERS} is missing. Pass it in params: { path: { id: … } }.`,
      };
      await assert.rejects(forgotten({}), error);
      await assert.rejects(forgotten({ params: { path: { id: '' } } }), error);
      await assert.rejects(forgotten({ params: { path: { organization_id: 1 } } }), error);
      await assert.rejects(client.raw.GET(USERS, {} as typeof ofOne), error);
      await assert.rejects(async () => {
        for await (const _ of client.exportMeetings({} as { organizationId: number })) assert.fail();
      }, TypeError);
      assert.equal(seen.length, 0);
    });
  });
});

describe('Exports', () => {
  const ndjson = { 'Content-Type': 'application/x-ndjson' };

  test('are streamed line by line, with characters that are split', async () => {
    await withServer(
      (request, response) => {
        if (request.url === '/api/v2/authenticate') return void response.end('{"token":"token"}');
        assert.equal(request.headers.accept, 'application/x-ndjson');
        assert.equal(request.url, '/api/v2/organizations/7/export_meetings?column[]=name&reporting_days=all');
        response.writeHead(200, ndjson);
        const bytes = Buffer.from('{"name":"Zoë"}\n{"name":"🙂"}\n\n{"name":"last"}');
        const send = (at: number): void => {
          if (at === bytes.length) return void response.end();
          response.write(bytes.subarray(at, at + 1), () => setImmediate(send, at + 1));
        };
        send(0);
      },
      async (port) => {
        const client = createClient({ baseUrl: `http://127.0.0.1:${port}/api/v2`, accessKey: '1' });
        const names: unknown[] = [];
        const request = { organizationId: 7, 'column[]': ['name' as const], reporting_days: 'all' as const };
        for await (const { name } of client.exportMeetings(request)) names.push(name);
        assert.deepEqual(names, ['Zoë', '🙂', 'last']);
      },
    );
  });

  test('of 200,000 rows are read in flat memory, however slow the reader is', async () => {
    const ROWS = 200_000;
    const row = `${JSON.stringify({ name: 'A meeting', topic: 'x'.repeat(300) })}\n`;
    let written = 0;
    await withServer(
      (request, response) => {
        if (request.url === '/api/v2/authenticate') return void response.end('{"token":"token"}');
        response.writeHead(200, ndjson);
        const more = (): void => {
          while (written < ROWS) {
            written += 100;
            if (!response.write(row.repeat(100))) return void response.once('drain', more);
          }
          response.end();
        };
        more();
      },
      async (port) => {
        const client = createClient({ baseUrl: `http://127.0.0.1:${port}/api/v2`, accessKey: '1' });
        let read = 0;
        let most = 0;
        for await (const { name } of client.exportMeetings({
          organizationId: 1,
          'column[]': ['name', 'topic'],
        })) {
          assert.equal(name, 'A meeting');
          read += 1;
          if (read === 1000) {
            await new Promise((resolve) => setTimeout(resolve, 300));
            assert.ok(written < ROWS / 2, `${written} rows were sent to a reader that has read 1,000`);
          }
          if (read % 10_000 === 0) most = Math.max(most, process.memoryUsage().arrayBuffers);
        }
        assert.equal(read, ROWS);
        // The rows are 64 MB.
        assert.ok(most < 20_000_000, `${most} bytes`);
      },
    );
  });

  test('that are cut off throw, and a reader that stops ends the connection', async () => {
    let closed = 0;
    await withServer(
      (request, response) => {
        if (request.url === '/api/v2/authenticate') return void response.end('{"token":"token"}');
        response.on('close', () => (closed += 1));
        response.writeHead(200, ndjson);
        response.write('{"name":"one"}\n{"name":"two"}\n', () => {
          if (request.url?.includes('name')) setTimeout(() => response.destroy(), 50);
        });
      },
      async (port) => {
        const client = createClient({ baseUrl: `http://127.0.0.1:${port}/api/v2`, accessKey: '1' });
        const names: unknown[] = [];
        await assert.rejects(async () => {
          const request = { organizationId: 1, 'column[]': ['name' as const] };
          for await (const { name } of client.exportMeetings(request)) names.push(name);
        }, TypeError);
        assert.deepEqual(names, ['one', 'two']);
        for await (const _ of client.exportMeetings({ organizationId: 1 })) break;
        while (closed < 2) await new Promise(setImmediate);
      },
    );
  });

  test('of a service that answers JSON throw', async () => {
    await withAnswers([{ body: { success: true, meetings: [] } }], async (client) => {
      await assert.rejects(async () => {
        for await (const _ of client.exportMeetings({ organizationId: 1 })) assert.fail();
      }, /application\/x-ndjson/);
    });
  });
});

describe('With the service', () => {
  let service: HttpService;
  before(async () => {
    service = await startHttpService();
  });
  after(() => service.stop());

  test('invites, lists and rotates, and goes on when the token has expired', async () => {
    const { id, accessKey } = await service.organization();
    const client = createClient({ baseUrl: `http://127.0.0.1:${service.client.port}/api/v2`, accessKey });
    const params = { path: { organization_id: String(id) } };
    const invited = await client.post('/organizations/{id}/invite_user', {
      params: { path: { id: String(id) } },
      body: { email: 'dana@example.test', first_name: 'Dana', last_name: 'Kim' },
    });
    assert.equal(invited.user.email, 'dana@example.test');
    service.clock.advance(25 * 60 * 60 * 1000);
    const { webhook } = await client.get(WEBHOOK, { params });
    assert.equal(webhook, null);
    const rotate = () =>
      client.post(WEBHOOK, {
        params: { ...params, header: { 'Idempotency-Key': 'k' } },
        body: { webhook: { enabled: false }, regenerate_secret: '1' },
      });
    assert.deepEqual(await rotate(), await rotate());
    await assert.rejects(client.post(WEBHOOK, { params, body: { webhook: { enabled: true } } }), {
      code: 'invalid-webhook',
      status: 422,
    });
    await assert.rejects(client.get(WEBHOOK, { params: { path: { organization_id: '999' } } }), {
      code: 'not-authorized',
    });
  });
});

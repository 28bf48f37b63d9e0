import assert from 'node:assert/strict';
import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { describe, type TestContext, test } from 'node:test';
import express, { type Express } from 'express';
import { pino } from 'pino';
import { createHttpServer, type HttpServer } from '#adapters/express/server.js';

/** Starts a server for the test, and returns its URL. */
async function listen(t: TestContext, { listen, stop }: HttpServer): Promise<string> {
  const { port } = await listen({ port: 0, host: '127.0.0.1' });
  t.after(stop);
  return `http://127.0.0.1:${port}`;
}

/** The prototypes of each request and its answer before the handler gets them. */
function prototypesOf({ server }: HttpServer): (readonly [request: unknown, response: unknown])[] {
  const seen: (readonly [unknown, unknown])[] = [];
  server.prependListener('request', (request, response) => {
    seen.push([Object.getPrototypeOf(request), Object.getPrototypeOf(response)]);
  });
  return seen;
}

const createServerFor = (handler: RequestListener): HttpServer =>
  createHttpServer({ handler, log: pino({ level: 'silent' }), timeouts: { lastRequests: 0 } });

function appThatTells(): Express {
  const app = express();
  app.post('/people/:name', express.json(), (request, response) => {
    response.status(201).json({
      body: request.body,
      path: request.originalUrl,
      isOfApp: request.app === app && response.app === app,
      isOfNode: request instanceof IncomingMessage && response instanceof ServerResponse,
      name: request.params.name,
      type: request.get('content-type'),
    });
  });
  return app;
}

describe('The requests of a server for an Express application', () => {
  test('have its prototypes from the start, so that Express replaces none', async (t) => {
    const app = appThatTells();
    const server = createServerFor(app);
    const seen = prototypesOf(server);
    const url = await listen(t, server);
    await fetch(`${url}/people/ada`, { method: 'POST' });
    await fetch(`${url}/people/ada`, { method: 'POST' });
    const own = [app.request, app.response] as const;
    assert.deepEqual(
      seen.map(([request, response]) => [request === own[0], response === own[1]]),
      [
        [true, true],
        [true, true],
      ],
    );
  });

  test('have everything that Express adds, and are of the classes of node:http', async (t) => {
    const url = await listen(t, createServerFor(appThatTells()));
    const answer = await fetch(`${url}/people/ada?x=1`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"age":36}',
    });
    assert.equal(answer.status, 201);
    assert.deepEqual(await answer.json(), {
      body: { age: 36 },
      path: '/people/ada?x=1',
      isOfApp: true,
      isOfNode: true,
      name: 'ada',
      type: 'application/json',
    });
  });

  test('belong to their application, also if another one mounts it as well', async (t) => {
    const app = appThatTells();
    const url = await listen(t, createServerFor(app));
    express().use('/mounted', app);
    const answer = await fetch(`${url}/people/ada`, { method: 'POST' });
    assert.equal((await answer.json()).isOfApp, true);
  });

  test('are those of the first application again when another one has passed them on', async (t) => {
    const inner = express().use('/inner', (_request, response, next) => {
      response.locals.innerApp = 'passed';
      next();
    });
    const outer = express().use(inner);
    outer.use((request, response) => {
      response.json([request.app === outer, response.locals.innerApp]);
    });
    const url = await listen(t, createServerFor(outer));
    assert.deepEqual(await (await fetch(`${url}/inner`)).json(), [true, 'passed']);
  });
});

test('The requests of a server for any other handler are those of node:http', async (t) => {
  const server = createServerFor((_request, response) => response.end('ok'));
  const seen = prototypesOf(server);
  const url = await listen(t, server);
  assert.equal(await (await fetch(url)).text(), 'ok');
  assert.deepEqual(seen, [[IncomingMessage.prototype, ServerResponse.prototype]]);
});

import assert from 'node:assert/strict';
import type { ErrorTracker, Ports } from '@rollcall/core';
import { anOrganization, type Dataset } from '@rollcall/core/testing';
import { pino } from 'pino';
import type { AppOptions } from '#adapters/express/app.js';
import { createHttpServer, type HttpServerOptions } from '#adapters/express/server.js';
import { ID } from '#app/assembly/identifiers.js';
import { type StartAssembledService, startAssembledService } from '../assembled-service.js';
import type { TestService } from '../test-service.js';
import { gate } from '../wait.js';
import { type HttpClient, httpClient, type Sent } from './client.js';
import type { Reply } from './reply.js';

type Report = { readonly error: unknown } & Parameters<ErrorTracker['report']>[1];

export type TestOrganization = Awaited<ReturnType<typeof signedIn>>;
export type HttpService = Awaited<ReturnType<typeof startHttpService>>;

/** The data of the organization with this number. */
export type OwnData = (organizationId: number) => Omit<Dataset, 'organizations'>;

export interface StartHttpService extends Partial<Omit<StartAssembledService, 'log'>> {
  readonly app?: Partial<AppOptions>;
  /** Whether to serve the pages too. Without them, every unknown path gets an error of the API. */
  readonly hasPages?: boolean;
  readonly timeouts?: HttpServerOptions['timeouts'];
}

export const apiBase = '/api/v2';

let lastOrganizationId = 0;

/** The API on a separate server. */
export async function startHttpService({
  app = {},
  hasPages = false,
  timeouts,
  override,
  ...given
}: StartHttpService = {}) {
  const reports: Report[] = [];
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug', base: null }, { write: (line) => lines.push(JSON.parse(line)) });
  const service = await startAssembledService({
    ...given,
    log,
    override(container) {
      container.rebind(ID.errorTracker).toConstantValue({
        report: (error, context) => reports.push({ error, ...context }),
        flush: async () => {},
      });
      container.onActivation(ID.appOptions, (_, defaults) => ({
        ...defaults,
        pages: hasPages ? defaults.pages : undefined,
        ...app,
      }));
      override?.(container);
    },
  });
  const { assembly } = service;
  const handler = assembly.get(ID.app);
  // The test clients send no requests after they stop the server. A test that has computed for long, such as a pair of keys,
  // finds its connection still open.
  const patient = { keepAlive: 60_000, lastRequests: 300 };
  const server = createHttpServer({ handler, log, timeouts: { ...patient, ...timeouts } });
  const { port } = await server.listen({ port: 0, host: '127.0.0.1' });
  const client = httpClient(port);

  return {
    ...{ ...service, client, server, reports },
    /** The log lines. */
    lines: lines as Readonly<Record<string, unknown>>[],
    organization: async (
      fields?: Parameters<typeof anOrganization>[1],
      data?: OwnData,
    ): Promise<TestOrganization> => {
      lastOrganizationId += 1;
      const id = lastOrganizationId;
      await service.load({ organizations: [anOrganization(id, fields)], ...data?.(id) });
      return signedIn(service, client, id);
    },
    signIn: (id: number) => signedIn(service, client, id),
    /** Replaces methods of a port until the returned function is called. */
    replace: <Name extends keyof Ports>(name: Name, methods: Partial<Ports[Name]>) =>
      replaceMethods<object>(service.ports[name] ?? {}, methods as object),
    stop: async (): Promise<void> => {
      client.close();
      await server.stop();
      await service.stop();
    },
  };
}

/** Replaces methods of a port until the returned function is called. */
export function replaceMethods<Port extends object>(port: Port, methods: Partial<Port>): () => void {
  const before = { ...port };
  Object.assign(port, methods);
  return () => Object.assign(port, before);
}

/** Holds the next call of a port's method until `release` is called. `held` resolves when one is held. */
export function holdNext<Port extends object>(
  port: Port | undefined,
  method: keyof Port & string,
): { held(): Promise<void>; release(): void } {
  assert.ok(port !== undefined);
  const original = port[method] as (...given: readonly unknown[]) => Promise<unknown>;
  const { pass, reached, release } = gate();
  const replacement = async (...given: readonly unknown[]): Promise<unknown> => {
    restore();
    await pass();
    return original(...given);
  };
  const restore = replaceMethods(port, { [method]: replacement } as unknown as Partial<Port>);
  return { held: () => reached(1), release };
}

/** An existing organization that has authenticated with a new access key. */
export async function signedIn({ core }: Pick<TestService, 'core'>, client: HttpClient, id: number) {
  const { accessKey } = await core.generateAccessKey({ organizationId: id });
  const { token } = await core.authenticate({ accessKey: accessKey.reveal(), address: 'a test' });
  const send = (method: string, path: string, { headers, ...sent }: Sent = {}): Promise<Reply> =>
    client.send(method, `${apiBase}/organizations/${id}${path}`, {
      headers: { Authorization: `Bearer ${token.reveal()}`, ...headers },
      ...sent,
    });
  const withBody = (body: unknown, sent: Sent): Sent => (body === undefined ? sent : { json: body, ...sent });
  return {
    ...{ id, accessKey: accessKey.reveal(), token: token.reveal() },
    /** Sends a request with the token. The path follows `/api/v2/organizations/:id`. */
    get: (path: string, sent?: Sent) => send('GET', path, sent),
    post: (path: string, body?: unknown, sent: Sent = {}) => send('POST', path, withBody(body, sent)),
    patch: (path: string, body?: unknown, sent: Sent = {}) => send('PATCH', path, withBody(body, sent)),
    remove: (path: string, sent?: Sent) => send('DELETE', path, sent),
  };
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import {
  type Core,
  type ErrorTracker,
  type InviteUser,
  type Ports,
  type Role,
  Secret,
  type StoragePorts,
  type WebhookSender,
} from '@rollcall/core';
import { aUser, type Dataset, fixedClock, memoryLimits } from '@rollcall/core/testing';
import express, { type Router } from 'express';
import type { Database } from '#adapters/sql/index.js';
import { provideValue } from '#app/container/bindings.js';
import { startAssembledService } from '../assembled-service.js';
import { type DatabaseKind, startStorage } from '../storage.js';
import type { TestService } from '../test-service.js';
import { type PageClient, pageClient } from './client.js';

export interface PageSite {
  /** Where the server listens. */
  readonly url: string;
  readonly core: Core;
  readonly clock: TestService['clock'];
  readonly storage: StoragePorts;
  /** What the storage is over; null in memory. */
  readonly database: Database | null;
  /** Every address that there is, as it is registered, with the methods that it answers. */
  readonly routes: readonly { readonly path: string; readonly methods: readonly string[] }[];
  /** Every call of a port that changes something, such as `sessions.create`. */
  readonly changes: readonly string[];
  /** Every request that came to the server, such as `GET /sign-in`; with its purpose where it is no visit. */
  readonly requests: readonly string[];
  readonly reports: readonly {
    readonly error: unknown;
    readonly context: Parameters<ErrorTracker['report']>[1];
  }[];
  load(dataset: Dataset): Promise<void>;
  /** A user with a password who belongs to these organizations. */
  addUser(user: {
    readonly id: number;
    readonly password: string;
    readonly organizations: readonly number[];
    /** In each of them; `member` where left out. */
    readonly role?: Role;
  }): Promise<void>;
  /** Sends what waits in the outbox, as the dispatcher does, until all of it has ended. */
  deliver(): Promise<void>;
  /** The path of a new invitation. */
  invite(
    request?: Partial<Omit<InviteUser, 'organization'>> & { readonly organizationId?: number },
  ): Promise<string>;
  /** From now on every invitation is revoked. */
  revokeInvitations(): void;
  /** The path of a new login link. */
  linkFor(member: { readonly organizationId: number; readonly uuid: string }): Promise<string>;
  /** From now on every port throws this. */
  break(error: Error): void;
  /** A browser that was here never before. */
  visitor(): PageClient;
}

export interface StartPageSite {
  readonly database?: DatabaseKind;
  /** Another address than the one where the server listens, as behind a proxy. */
  readonly publicUrl?: string;
  readonly serviceName?: string;
  /** In the place of one that is always answered 200. */
  readonly webhookSender?: WebhookSender;
  /** How often a minute pages and feeds may be asked for; as often as anybody likes where left out. */
  readonly visits?: { readonly pages: number; readonly feeds: number };
}

/** The pages on a server of their own, over the core and a storage of choice, until the test has ended. */
export async function startPageSite(context: TestContext, options: StartPageSite = {}): Promise<PageSite> {
  const { database = 'memory', serviceName = 'Acme Care' } = options;
  const storage = await startStorage(database);
  const changes: string[] = [];
  const requests: string[] = [];
  const reports: PageSite['reports'][number][] = [];
  const state = { revoked: false, broken: null as Error | null };

  const app = express().disable('etag').set('trust proxy', true);
  const server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const publicUrl = options.publicUrl ?? url;

  const clock = fixedClock(new Date('2026-11-20T12:00:00.000Z'));
  const kept: Partial<Ports> = {
    ...storage.storage,
    invitations: {
      ...storage.storage.invitations,
      async byId(id) {
        const invitation = await storage.storage.invitations.byId(id);
        return invitation && state.revoked ? { ...invitation, revokedAt: clock.now() } : invitation;
      },
    },
    limits: memoryLimits(clock),
  };
  const sender = options.webhookSender === undefined ? {} : { webhookSender: options.webhookSender };
  const { visits } = options;
  const service = await startAssembledService({
    database: storage.database ?? 'memory',
    ports: { ...watched(kept, { changes, state }), ...sender, clock },
    environment: {
      PUBLIC_URL: publicUrl,
      SERVICE_NAME: serviceName,
      ...(visits !== undefined && { PAGE_LIMIT: String(visits.pages), FEED_LIMIT: String(visits.feeds) }),
    },
    overrides: {
      visitCounts: provideValue(memoryLimits(clock)),
      errorTracker: provideValue({
        report: (error, context) => reports.push({ error, context }),
        flush: async () => {},
      }),
    },
  });
  const { core } = service;

  app.use((request, response, next) => {
    const purpose = request.get('sec-purpose');
    requests.push(`${request.method} ${request.path}${purpose === undefined ? '' : ` (${purpose})`}`);
    response.set('X-Request-Id', 'request-4711');
    next();
  });
  const pages = service.assembly.get('pages');
  app.use(pages);
  app.use((_request, response) => {
    response.status(404).json({ error: 'Not Found' });
  });

  context.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await service.stop();
    await storage.stop();
  });

  const origin = new URL(publicUrl).origin;
  return {
    url,
    core,
    clock,
    storage: storage.storage,
    database: storage.database,
    routes: routesOf(pages),
    changes,
    requests,
    reports,
    load: storage.load,
    async addUser({ id, password, organizations, role = 'member' }) {
      const user = aUser(id);
      const memberships = organizations.map(
        (organizationId) => ({ organizationId, userId: id, role, idpId: null }) as const,
      );
      await storage.load({ users: [user], memberships });
      await core.setPassword({ email: user.email, password: new Secret(password) });
    },
    async deliver() {
      await Promise.all(await core.deliverWebhooks({ limit: 100 }));
    },
    async invite({ organizationId = 1, ...person } = {}) {
      const invited = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim', ...person };
      const { invitationUrl } = await core.inviteUser({ organization: { id: organizationId }, ...invited });
      return new URL(invitationUrl).pathname;
    },
    revokeInvitations() {
      state.revoked = true;
    },
    async linkFor({ organizationId, uuid }) {
      const link = await core.issueLoginLink({ organization: { id: organizationId }, uuid });
      return new URL(link.url).pathname;
    },
    break(error) {
      state.broken = error;
    },
    visitor: () => pageClient({ url, origin }),
  };
}

function routesOf(pages: Router): PageSite['routes'] {
  return pages.stack.flatMap(({ route }) => {
    if (route === undefined) return [];
    const methods = route.stack.map(({ method }: { readonly method?: string }) => method);
    return [{ path: route.path, methods: ['get', 'post'].filter((method) => methods.includes(method)) }];
  });
}

const readingMethods =
  /^(accessKey|by|find|list|of$|ofUser|passwordHash|places|seatsSince|details|export|summarize|waitFor|health$)/;

/** The same ports, with a list of the calls that change something, and a switch to break them all. */
function watched(
  ports: Partial<Ports>,
  { changes, state }: { readonly changes: string[]; readonly state: { readonly broken: Error | null } },
): Partial<Ports> {
  const watchedPorts = Object.entries(ports).map(([port, methods = {}]) => [
    port,
    new Proxy(methods, {
      get(target, method, receiver) {
        const original: unknown = Reflect.get(target, method, receiver);
        if (typeof original !== 'function') return original;
        return async (...given: readonly unknown[]) => {
          if (state.broken !== null) throw state.broken;
          if (!readingMethods.test(String(method))) changes.push(`${port}.${String(method)}`);
          return Reflect.apply(original, target, given);
        };
      },
    }),
  ]);
  return Object.fromEntries(watchedPorts);
}

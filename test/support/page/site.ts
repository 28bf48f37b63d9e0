import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import {
  type ErrorTracker,
  type IdentityProvider,
  type InviteUser,
  type Mail,
  type Mailer,
  type Ports,
  type Role,
  Secret,
  type WebhookSender,
} from '@rollcall/core';
import { anOrganization, aUser, fixedClock, memoryLimits, testUuid } from '@rollcall/core/testing';
import type { Demo } from '@rollcall/express';
import express, { type Router } from 'express';
import { ID } from '#app/assembly/identifiers.js';
import { startAssembledService } from '../assembled-service.js';
import { endServer, listen } from '../listen.js';
import { type DatabaseKind, startStorage } from '../storage.js';
import { type PageClient, pageClient } from './client.js';

export type PageSite = Awaited<ReturnType<typeof startPageSite>>;

/** The password of every user, unless another one is given. */
export const password = 'a good password';

/** Those of user 100. */
export const credentials = { email: aUser(100).email, password };

export interface StartPageSite {
  readonly database?: DatabaseKind;
  /** A URL other than that of the server, as behind a proxy. */
  readonly publicUrl?: string;
  /** Another name of this machine: passkeys need one that is no address. */
  readonly hostname?: 'localhost';
  readonly serviceName?: string;
  /** Replaces the default sender, which always gets 200. */
  readonly webhookSender?: WebhookSender;
  /** Replaces the real one, which asks identity providers on the internet. */
  readonly identityProvider?: IdentityProvider;
  /** Without it, the service sends no mail. */
  readonly mailer?: Mailer;
  /** What makes it a demo. */
  readonly demo?: Demo;
  /** Further variables. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The limits of requests per minute for pages and feeds. Without it, there are none. */
  readonly visits?: { readonly pages: number; readonly feeds: number };
}

/** Starts a server with the pages over the core and the chosen storage, and stops it when the test ends. */
export async function startPageSite(context: TestContext, options: StartPageSite = {}) {
  const { database = 'memory', serviceName = 'Acme Care' } = options;
  const storage = await startStorage(database);
  const changes: string[] = [];
  const requests: string[] = [];
  const reports: { readonly error: unknown; readonly context: Parameters<ErrorTracker['report']>[1] }[] = [];
  const state = { revoked: false, broken: null as Error | null };

  const app = express().disable('etag').set('trust proxy', true);
  const server = createServer(app);
  const url = `http://${options.hostname ?? '127.0.0.1'}:${await listen(server)}`;
  const publicUrl = options.publicUrl ?? url;

  const clock = fixedClock(new Date('2026-11-20T12:00:00.000Z'));
  const basePorts: Partial<Ports> = {
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
  const { visits, identityProvider } = options;
  const provider = identityProvider === undefined ? {} : { identityProvider };
  const service = await startAssembledService({
    database: storage.database ?? 'memory',
    ports: { ...recorded(basePorts, { changes, state }), ...sender, ...provider, clock },
    environment: {
      PUBLIC_URL: publicUrl,
      SERVICE_NAME: serviceName,
      ...options.environment,
      ...(visits !== undefined && { PAGE_LIMIT: String(visits.pages), FEED_LIMIT: String(visits.feeds) }),
    },
    override(container) {
      container.rebind(ID.clock).toConstantValue({ ...clock, measure: async () => {}, aheadMs: () => null });
      container.rebind(ID.visitCounts).toConstantValue(memoryLimits(clock));
      container.rebind(ID.mailer).toConstantValue(options.mailer ?? null);
      const { demo } = options;
      if (demo !== undefined)
        container.onActivation(ID.pagesOptions, (_, defaults) => ({ ...defaults, demo }));
      container.rebind(ID.errorTracker).toConstantValue({
        report: (error, context) => reports.push({ error, context }),
        flush: async () => {},
      });
    },
  });
  const { core } = service;

  app.use((request, response, next) => {
    const purpose = request.get('sec-purpose');
    requests.push(`${request.method} ${request.path}${purpose === undefined ? '' : ` (${purpose})`}`);
    response.set('X-Request-Id', 'request-4711');
    next();
  });
  const pages = service.assembly.get(ID.pages);
  app.use(pages);
  app.use((_request, response) => {
    response.status(404).json({ error: 'Not Found' });
  });

  context.after(async () => {
    await endServer(server);
    await service.stop();
    await storage.stop();
  });

  const origin = new URL(publicUrl).origin;
  /** A new browser without cookies. */
  const visitor = () => pageClient({ url, origin });
  /** Issues a login link of organization 1, and returns its path. */
  const linkFor = async (userId: number, uuid = testUuid(userId)): Promise<string> => {
    const link = await core.issueLoginLink({ organization: { id: 1 }, uuid });
    return new URL(link.url).pathname;
  };
  return {
    ...{ url, core, clock, storage: storage.storage, load: storage.load, reports, visitor },
    /** The database of the storage, or null in memory. */
    database: storage.database,
    /** Every registered path with its methods. */
    routes: routesOf(pages),
    /** Every port call that changes something, such as `sessions.create`. */
    changes: changes as readonly string[],
    /** Every request to the server, such as `GET /sign-in`, with the value of `Sec-Purpose` if it has one. */
    requests: requests as readonly string[],
    /** Adds a user with a password, who is a member of these organizations and has the role in each. */
    async addUser({
      id,
      password: own = password,
      organizations,
      role = 'member',
    }: {
      readonly id: number;
      readonly password?: string;
      readonly organizations: readonly number[];
      readonly role?: Role;
    }): Promise<void> {
      const user = aUser(id);
      const memberships = organizations.map(
        (organizationId) => ({ organizationId, userId: id, role, idpId: null }) as const,
      );
      await storage.load({ users: [user], memberships });
      await core.setPassword({ email: user.email, password: new Secret(own) });
    },
    /** Sends everything in the outbox, like the dispatcher, and waits for the end. */
    async deliver(): Promise<void> {
      await Promise.all(await core.deliverWebhooks({ limit: 100 }));
    },
    /** Creates an invitation, and returns its path. */
    async invite({
      organizationId = 1,
      ...person
    }: Partial<Omit<InviteUser, 'organization'>> & {
      readonly organizationId?: number;
    } = {}): Promise<string> {
      const invited = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim', ...person };
      const { invitationUrl } = await core.inviteUser({ organization: { id: organizationId }, ...invited });
      return new URL(invitationUrl).pathname;
    },
    /** Makes every invitation count as revoked from now on. */
    revokeInvitations(): void {
      state.revoked = true;
    },
    linkFor,
    /** The path of a new link to set a new password, as a mail has it. */
    async resetLinkFor({ email }: { readonly email: string }): Promise<string> {
      const { token, hash } = service.ports.secrets.newToken('password-reset');
      const createdAt = clock.now();
      const expiresAt = new Date(createdAt.getTime() + 60_000);
      await storage.storage.passwordResets.store({ hash, email, createdAt, expiresAt });
      return `/reset-password/${token.reveal()}`;
    },
    /** The activity of organization 1, newest first. */
    async activity() {
      const { items } = await core.listActivity({ organization: { id: 1 } });
      return items.map(({ action, subject, user }) => [action, subject, user?.id] as const);
    },
    /** Makes every port throw this error from now on. */
    break(error: Error): void {
      state.broken = error;
    },
    /** A new browser in which the user has signed in with the password, by default that of all users. */
    async signedIn(userId: number, own = password): Promise<PageClient> {
      const client = visitor();
      const { status } = await client.fillIn('/sign-in', { email: aUser(userId).email, password: own });
      assert.equal(status, 303);
      return client;
    },
    /** A new browser in which the member of organization 1 has signed in with a login link. */
    async signedInByLink(userId: number): Promise<PageClient> {
      const client = visitor();
      await client.fillIn(await linkFor(userId), {});
      return client;
    },
  };
}

/** Sends everything, and keeps it in `sent`. */
export function recordingMailer() {
  const sent: Mail[] = [];
  return {
    sent,
    async send(mail: Mail) {
      sent.push(mail);
      return { outcome: 'sent' } as const;
    },
  };
}

/** People by the numbers of their users: the role, and the organizations in which they have it. */
type People = Readonly<Record<number, readonly [role: Role, ...organizations: number[]]>>;

interface StartSiteOf extends StartPageSite {
  /** The name of organization 1. */
  readonly name?: string;
}

/** Starts a site with organizations 1 and 2, and these people. */
export async function startSiteOf(
  context: TestContext,
  people: People,
  { name = 'Northwind Wellness', ...options }: StartSiteOf = {},
): Promise<PageSite> {
  const site = await startPageSite(context, options);
  const organizations = [anOrganization(1, { name }), anOrganization(2, { name: 'Contoso' })];
  await site.load({ organizations });
  for (const [id, [role, ...of]] of Object.entries(people))
    await site.addUser({ id: Number(id), organizations: of, role });
  return site;
}

/** The same with user 100 as an owner of organization 1, who has signed in. */
export async function startOwnedSite(
  context: TestContext,
  people: People = {},
  options?: StartSiteOf,
): Promise<{ readonly site: PageSite; readonly owner: PageClient }> {
  const site = await startSiteOf(context, { 100: ['owner', 1], ...people }, options);
  return { site, owner: await site.signedIn(100) };
}

function routesOf(pages: Router): readonly { readonly path: string; readonly methods: readonly string[] }[] {
  return pages.stack.flatMap(({ route }) => {
    if (route === undefined) return [];
    const methods = route.stack.map(({ method }: { readonly method?: string }) => method);
    return [{ path: route.path, methods: ['get', 'post'].filter((method) => methods.includes(method)) }];
  });
}

/** Those who change invitations first revoke what has expired, also if the change is refused. */
const readingMethods =
  /^(accessKey|attendees|by|find|inviter$|lastSignIn$|list|of$|revokeExpired$|ofUser|passwordHash|places|seatsSince|details|export|current|summarize|waitFor|health$|count$|lastOf$|neighbors$|latest$|opens$|isRequired$|counts$|requests$)/;

/** Records the port calls that change something, and lets all ports fail when `broken` is set. */
function recorded(
  ports: Partial<Ports>,
  { changes, state }: { readonly changes: string[]; readonly state: { readonly broken: Error | null } },
): Partial<Ports> {
  const recordedPorts = Object.entries(ports).map(([port, methods = {}]) => [
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
  return Object.fromEntries(recordedPorts);
}

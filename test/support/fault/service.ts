import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Core } from '@rollcall/core';
import type Sqlite from 'better-sqlite3';
import { createLog } from '#adapters/node/system/log.js';
import { type CommandContext, createCommandContext } from '#app/command-context.js';
import { readConfig } from '#app/config.js';
import { openConfiguredDatabase } from '#app/open-configured-database.js';
import { eventName } from '#core/testing/subscribe.js';
import { postJson, tokenOf } from '../api.js';
import { pageClient } from '../page/client.js';
import { type Answer, type Receiver, startReceiver } from '../receiver.js';
import { SqliteDatabase } from '../sqlite.js';
import { freePort, type Running, startServing, temporaryDirectory } from './process.js';
import type { Registering } from './registering-program.js';

/** An organization of a fault test. */
export type FaultOrganization = Awaited<ReturnType<typeof createOrganizations>>[number];

export type FaultSite = Awaited<ReturnType<typeof prepareSite>>;

export interface ServeOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A program with its arguments that starts the command, such as `strace`. */
  readonly under?: readonly string[];
  /** The people that the instance registers while it serves. Without it, the instance is a plain `rollcall serve`. */
  readonly registering?: Omit<Registering, 'organizations'>;
}

interface PrepareService {
  /** The webhook URL of each organization, or null for none. */
  readonly webhookUrls?: readonly (string | null)[];
  /** The certificate authority of the receivers in PEM format. */
  readonly authority?: string;
  readonly directory: string;
  readonly databaseUrl: string;
  /** The variables of `rollcall serve`, besides those that every service needs. */
  readonly env: Readonly<Record<string, string>> & { readonly PUBLIC_URL: string };
}

/** Prepares a migrated database with organizations, and a directory to serve it from. */
export async function prepareService({
  webhookUrls = [null],
  authority,
  directory,
  databaseUrl,
  env: more,
}: PrepareService) {
  const caFile = join(directory, 'ca.pem');
  if (authority !== undefined) writeFileSync(caFile, authority);
  const env = {
    ...more,
    DATABASE_URL: databaseUrl,
    SECRET_KEY: 'the secret key of the fault tests, 32+ characters',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
    ...(authority !== undefined && { WEBHOOK_CA_FILE: caFile }),
  };
  const embedded = embedding(env);
  const organizations = await embedded((core) => createOrganizations(core, webhookUrls));
  const running = new Set<Running>();
  return {
    env,
    /** Runs short work with another core over the same database, like another process, and closes it. */
    embedded,
    organizations,
    /** The first one, if there is any. */
    organization: organizations[0] as FaultOrganization,
    /** Registers a person in the first organization. */
    register: (person: { readonly email: string; readonly idpId?: string }) =>
      embedded((core) =>
        core.registerUser({
          ...{ firstName: 'Ada', lastName: 'Lovelace', organizationId: organizations[0]?.id ?? 0 },
          ...person,
        }),
      ),
    /** Starts an instance without waiting until it listens. */
    spawnServe({ env: added = {}, under = [], registering }: ServeOptions = {}): Running {
      const all = organizations.map(({ id }) => id);
      const given = registering === undefined ? null : { organizations: all, ...registering };
      const one = startServing(given, { cwd: directory, env: { ...env, ...added }, under });
      running.add(one);
      void one.ended.then(() => running.delete(one));
      return one;
    },
    /** Kills the remaining processes. */
    killAll: () => Promise.all([...running].map((one) => one.stop('SIGKILL'))),
  };
}

export interface PrepareSite extends Pick<PrepareService, 'webhookUrls' | 'authority'> {
  /** An existing directory to use. It is not removed. */
  readonly directory?: string;
  /** An empty database to use instead of a file in the directory. */
  readonly databaseUrl?: string;
}

/** Prepares a service over an SQLite file, with a port of its own. */
export async function prepareSite({ directory: given, databaseUrl, ...options }: PrepareSite = {}) {
  const temporary = given === undefined ? temporaryDirectory() : null;
  const directory = given ?? temporary?.path ?? '';
  const port = await freePort();
  const file = join(directory, 'rollcall.db');
  const url = `http://127.0.0.1:${port}`;
  const { killAll, ...service } = await prepareService({
    ...{ ...options, directory, databaseUrl: databaseUrl ?? `sqlite:${file}` },
    env: { PUBLIC_URL: url, PORT: String(port) },
  });
  return {
    ...{ ...service, directory, file, port, url },
    /** Starts an instance, and waits until it listens. */
    async serve(options?: ServeOptions): Promise<Running> {
      const server = service.spawnServe(options);
      await server.see(/"msg":"Listening"/);
      return server;
    },
    /** Kills the remaining processes, and removes the directory. */
    async remove(): Promise<void> {
      await killAll();
      temporary?.remove();
    },
  };
}

/** Runs short work with a whole core over the configured database, and closes it. */
export function embedding(env: Readonly<Record<string, string>>) {
  return async <Result>(work: (core: Core, context: CommandContext) => Promise<Result>): Promise<Result> => {
    const config = readConfig(env, () => undefined);
    const database = await openConfiguredDatabase(config);
    try {
      await database.migrate();
      const log = createLog({ level: 'silent', destination: { write() {} } });
      const context = createCommandContext({ config, database, log });
      return await work(context.core, context);
    } finally {
      await database.close();
    }
  };
}

/** The number of the first organization in a new database. */
export const FIRST_ORGANIZATION = 1_000_000_000_001;

export async function createOrganizations(core: Core, webhookUrls: readonly (string | null)[]) {
  const created: { readonly id: number; readonly accessKey: string }[] = [];
  for (const [index, webhookUrl] of webhookUrls.entries()) {
    const { id } = await core.createOrganization({ name: `Organization ${index + 1}`, eap: false });
    const { accessKey } = await core.generateAccessKey({ organizationId: id });
    if (webhookUrl !== null) {
      const webhook = { url: webhookUrl, enabled: true, events: [eventName] };
      await core.configureWebhook({ organization: { id }, how: 'set', webhook });
    }
    created.push({ id, accessKey: accessKey.reveal() });
  }
  return created;
}

/** Starts a receiver, and prepares a site with one organization whose webhook points to it. */
export async function siteWithReceiver(
  answer?: Answer,
): Promise<{ readonly site: FaultSite; readonly receiver: Receiver; remove(): Promise<void> }> {
  const receiver = await startReceiver(answer === undefined ? {} : { answer });
  const site = await prepareSite({ webhookUrls: [`${receiver.url}/hook`], authority: receiver.authority });
  return {
    site,
    receiver,
    async remove() {
      await site.remove();
      await receiver.stop();
    },
  };
}

export type Caller = Awaited<ReturnType<typeof signIn>>;

/** Calls the API as an organization, and opens the pages as the people whom it invites. */
export async function signIn({ url }: Pick<FaultSite, 'url'>, { id, accessKey }: FaultOrganization) {
  const token = await tokenOf(url, accessKey);
  return {
    token,
    /** Returns the path of the page to accept the invitation, or null if no one was invited. */
    async invite(email: string): Promise<{ readonly status: number; readonly path: string | null }> {
      const person = { email, first_name: 'Ada', last_name: 'Lovelace' };
      const response = await postJson(`${url}/api/v2/organizations/${id}/invite_user`, person, token);
      const body = (await response.json()) as { readonly user?: { readonly invitation_url: string } };
      const path = body.user === undefined ? null : new URL(body.user.invitation_url).pathname;
      return { status: response.status, path };
    },
    /** Accepts an invitation on its page. Returns whether the service has acknowledged it. */
    async accept(path: string): Promise<boolean> {
      const visitor = pageClient({ url, origin: url });
      return (await visitor.fillIn(path, { password: 'long enough' })).status === 303;
    },
  };
}

/** Reads the file on a separate connection. */
export function inspect<Result>(file: string, read: (database: Sqlite.Database) => Result): Result {
  const database = new SqliteDatabase(file, { readonly: true });
  try {
    return read(database);
  } finally {
    database.close();
  }
}

/** Holds the write lock of the file, like an import or a backup, until `release`. */
export function holdWriteLock(file: string): { release(): void } {
  // A current writer will finish soon.
  const database = new SqliteDatabase(file, { timeout: 2000 });
  database.exec('BEGIN IMMEDIATE');
  return {
    release() {
      if (!database.open) return;
      database.exec('ROLLBACK');
      database.close();
    },
  };
}

/** Changes the file directly, unnoticed by the server. */
export function change(file: string, text: string): void {
  const database = new SqliteDatabase(file);
  try {
    database.prepare(text).run();
  } finally {
    database.close();
  }
}

/** The number of deliveries without an outcome. */
export function unfinished(file: string): number {
  return inspect(file, (database) =>
    Number(
      database.prepare(`SELECT count(*) FROM deliveries WHERE state IN ('pending', 'sending')`).pluck().get(),
    ),
  );
}

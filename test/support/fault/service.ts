import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
import { freePort, type Running, start, startProgram, temporaryDirectory } from './process.js';

/** An organization of a fault test. */
export interface FaultOrganization {
  readonly id: number;
  readonly accessKey: string;
  readonly webhookUrl: string | null;
}

export interface FaultSite {
  readonly directory: string;
  /** The SQLite file. */
  readonly file: string;
  readonly port: number;
  readonly url: string;
  /** The variables of `rollcall serve`. */
  readonly env: Readonly<Record<string, string>>;
  readonly organizations: readonly FaultOrganization[];
  /** Runs short work with another core over the same database, like another process, and closes it. */
  embedded<Result>(work: (core: Core, context: CommandContext) => Promise<Result>): Promise<Result>;
  /** Starts `rollcall serve`, and waits until it listens. */
  serve(options?: ServeOptions): Promise<Running>;
  /** Starts `rollcall serve` without waiting. */
  spawnServe(options?: ServeOptions): Running;
  /** Starts the test program of `child.ts`. */
  spawnChild(env: Readonly<Record<string, string>>, under?: readonly string[]): Running;
  /** Kills the remaining processes, and removes the directory. */
  remove(): Promise<void>;
}

export interface ServeOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A program with its arguments that starts the command, such as `strace`. */
  readonly under?: readonly string[];
}

export interface PrepareSite {
  /** The webhook URL of each organization, or null for none. */
  readonly webhookUrls?: readonly (string | null)[];
  /** The certificate authority of the receivers in PEM format. */
  readonly authority?: string;
  /** An existing directory to use. It is not removed. */
  readonly directory?: string;
  /** An empty database to use instead of a file in the directory. */
  readonly databaseUrl?: string;
}

/** In the bundle, where it starts in half the time. */
const faultChild = fileURLToPath(import.meta.resolve('#app/bundle/self-killing-program.js'));

/** Prepares a migrated database with organizations, and a directory to serve it from. */
export async function prepareSite(options: PrepareSite = {}): Promise<FaultSite> {
  const { webhookUrls = [null], authority } = options;
  const temporary = options.directory === undefined ? temporaryDirectory() : null;
  const directory = options.directory ?? temporary?.path ?? '';
  const port = await freePort();
  const file = join(directory, 'rollcall.db');
  const caFile = join(directory, 'ca.pem');
  if (authority !== undefined) writeFileSync(caFile, authority);
  const env = {
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DATABASE_URL: options.databaseUrl ?? `sqlite:${file}`,
    SECRET_KEY: 'the secret key of the fault tests, 32+ characters',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
    ...(authority !== undefined && { WEBHOOK_CA_FILE: caFile }),
  };
  const embedded = embedding(env);
  const organizations = await embedded((core) => createOrganizations(core, webhookUrls));

  const running = new Set<Running>();
  const track = (one: Running): Running => {
    running.add(one);
    void one.ended.then(() => running.delete(one));
    return one;
  };
  const spawnServe = ({ env: added = {}, under = [] }: ServeOptions = {}): Running =>
    track(start(['serve'], { cwd: directory, env: { ...env, ...added }, under }));
  return {
    directory,
    file,
    port,
    url: env.PUBLIC_URL,
    env,
    organizations,
    embedded,
    spawnServe,
    async serve(serveOptions) {
      const server = spawnServe(serveOptions);
      await server.see(/"msg":"Listening"/);
      return server;
    },
    spawnChild: (more, under = []) =>
      track(
        startProgram([process.execPath, faultChild], { cwd: directory, env: { ...env, ...more }, under }),
      ),
    async remove() {
      await Promise.all([...running].map((one) => one.stop('SIGKILL')));
      temporary?.remove();
    },
  };
}

/** Runs short work with a whole core over the configured database, and closes it. */
export function embedding(env: Readonly<Record<string, string>>): FaultSite['embedded'] {
  return async (work) => {
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

export async function createOrganizations(
  core: Core,
  webhookUrls: readonly (string | null)[],
): Promise<readonly FaultOrganization[]> {
  const created: FaultOrganization[] = [];
  for (const [index, webhookUrl] of webhookUrls.entries()) {
    const { id } = await core.createOrganization({ name: `Organization ${index + 1}`, eap: false });
    const { accessKey } = await core.generateAccessKey({ organizationId: id });
    if (webhookUrl !== null) {
      const webhook = { url: webhookUrl, enabled: true, events: [eventName] };
      await core.configureWebhook({ organization: { id }, how: 'set', webhook });
    }
    created.push({ id, accessKey: accessKey.reveal(), webhookUrl });
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

/** Calls the API as an organization, and opens the pages as the people whom it invites. */
export interface Caller {
  readonly token: string;
  invite(email: string): Promise<Invited>;
  /** Accepts an invitation on its page. Returns whether the service has acknowledged it. */
  accept(path: string): Promise<boolean>;
}

export interface Invited {
  readonly status: number;
  /** The path of the page to accept the invitation, or null if no one was invited. */
  readonly path: string | null;
}

export async function signIn(
  { url }: Pick<FaultSite, 'url'>,
  { id, accessKey }: FaultOrganization,
): Promise<Caller> {
  const token = await tokenOf(url, accessKey);
  return {
    token,
    async invite(email) {
      const person = { email, first_name: 'Ada', last_name: 'Lovelace' };
      const response = await postJson(`${url}/api/v2/organizations/${id}/invite_user`, person, token);
      const body = (await response.json()) as { readonly user?: { readonly invitation_url: string } };
      const path = body.user === undefined ? null : new URL(body.user.invitation_url).pathname;
      return { status: response.status, path };
    },
    async accept(path) {
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

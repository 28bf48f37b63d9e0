import type { Core } from '@rollcall/core';
import {
  limitedFiles,
  type SmallDisk,
  type SmallFileSystem,
  smallFileSystem,
} from '../support/fault/disk.js';
import { ageAbandonedClaims, preparePostgresSite } from '../support/fault/postgres.js';
import { freePort, type Running } from '../support/fault/process.js';
import {
  createOrganizations,
  type FaultOrganization,
  holdWriteLock,
  inspect,
  prepareSite,
  unfinished,
} from '../support/fault/service.js';
import type { PostgresServer } from '../support/postgres-server.js';
import { type Answer, type Receiver, startReceiver } from '../support/receiver.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/wait.js';

export type Engine = 'postgres' | 'sqlite';

/** Real instances of the product on one database, with what can be done to them. */
export interface Cluster {
  readonly instances: readonly Instance[];
  readonly publicUrl: string;
  readonly secretKey: string;
  readonly receiver: Receiver;
  readonly organizations: readonly FaultOrganization[];
  /** Runs short work with a core of this process over the database. */
  embedded<Result>(work: (core: Core) => Promise<Result>): Promise<Result>;
  /** The number of deliveries without an outcome. */
  unfinished(): Promise<number>;
  /** Makes abandoned claims old enough to be recovered at once. */
  ageAbandonedClaims(): Promise<void>;
  /** Every row of every table, as text. */
  storedText(): Promise<string>;
  /** Null where there is no such thing. */
  readonly disk: { fill(): void; free(): Promise<void> } | null;
  readonly lock: { hold(): { release(): void } } | null;
  readonly database: { crash(): Promise<void>; restart(): Promise<void> } | null;
  remove(): Promise<void>;
}

/** A place where a process of the product runs, or should. */
export interface Instance {
  readonly url: string;
  readonly operatorUrl: string | null;
  /** Starts a process, again if the last one has ended, until it listens. */
  start(): Promise<void>;
  /** Sends the signal, and waits for the end of the process. */
  stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** The log lines about errors that nobody expects. */
  errors(): readonly string[];
}

export const OPERATOR_TOKEN = 'the-operator-token-of-the-histories-32';
/** A process ends at once if the database is away or has no room. */
const START_TRIES = 20;
/** On a busy machine. */
const START_TIMEOUT_MS = 120_000;

function instanceOf(
  urls: Pick<Instance, 'url' | 'operatorUrl'>,
  spawn: () => Promise<Running> | Running,
): Instance {
  /** Those that have listened. Others may say why not: a database that is away is no error of theirs. */
  const runs: Running[] = [];
  const current = (): Running | undefined => runs.at(-1);
  return {
    ...urls,
    async start() {
      for (let tries = 1; ; tries += 1) {
        const running = await spawn();
        const { child, stdout } = running;
        const isListening = (): boolean => /"msg":"Listening"/.test(stdout());
        const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
        await until(() => isListening() || hasEnded(), START_TIMEOUT_MS);
        if (isListening()) {
          runs.push(running);
          return;
        }
        if (tries === START_TRIES)
          throw new Error(`It does not start: ${running.stdout()}${running.stderr()}`);
        await running.stop('SIGKILL');
      }
    },
    async stop(signal) {
      await current()?.stop(signal);
    },
    freeze: () => void current()?.child.kill('SIGSTOP'),
    thaw: () => void current()?.child.kill('SIGCONT'),
    errors: () =>
      runs.flatMap(({ stdout, stderr }) => [
        ...stdout()
          .split('\n')
          .filter((line) => /"level":(50|60)/.test(line)),
        ...(stderr() === '' ? [] : [stderr()]),
      ]),
  };
}

const limitless = { PAGE_LIMIT: '0', FEED_LIMIT: '0' };

/** Three instances on a PostgreSQL server. The first one cannot hear of the events of others. `disk`: that of its data, if it can be full. */
export async function postgresCluster({
  server,
  disk = null,
  organizations,
  answer,
  instances: size = 3,
}: {
  readonly server: PostgresServer;
  readonly disk?: SmallFileSystem | null;
  readonly organizations: number;
  readonly answer: Answer;
  readonly instances?: number;
}): Promise<Cluster> {
  const site = await preparePostgresSite({ server, organizations: 0, answer });
  const created = await site.embedded((core) => createOrganizations(core, Array(organizations).fill(null)));
  const deafening = await startTcpProxy(server.port, 0, { cutsAt: 'LISTEN ' });
  const deaf = new URL(site.databaseUrl);
  deaf.port = String(deafening.port);
  const instances: Instance[] = [];
  for (let index = 0; index < size; index += 1) {
    const [port, operatorPort] = [await freePort(), await freePort()];
    const env = {
      ...limitless,
      OPERATOR_PORT: String(operatorPort),
      OPERATOR_TOKEN,
      ...(index === 0 && { DATABASE_URL: deaf.href }),
    };
    instances.push(
      instanceOf(
        { url: `http://127.0.0.1:${port}`, operatorUrl: `http://127.0.0.1:${operatorPort}` },
        async () => (await site.spawn({ port, env })).process,
      ),
    );
  }
  return {
    instances,
    publicUrl: site.publicUrl,
    secretKey: SECRET_KEY,
    receiver: site.receiver,
    organizations: created,
    embedded: site.embedded,
    unfinished: site.unfinished,
    ageAbandonedClaims: () => ageAbandonedClaims(site),
    async storedText() {
      const tables = await site.rows<{ name: string }>(
        `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
      );
      const texts: string[] = [];
      for (const { name } of tables) texts.push(JSON.stringify(await site.rows(`SELECT * FROM "${name}"`)));
      return texts.join('\n');
    },
    disk: disk && {
      fill: () => disk.fill(),
      async free() {
        disk.free();
        await server.recover();
      },
    },
    lock: null,
    database: { crash: () => server.stop('immediate'), restart: () => server.start() },
    async remove() {
      await site.remove();
      await deafening.stop();
    },
  };
}

/** The key of the fault tests' sites. */
export const SECRET_KEY = 'the secret key of the fault tests, 32+ characters';
/** More than any run writes. */
const DISK_BYTES = 48 * 1024 * 1024;

/** One instance on an SQLite file, on a disk that can be full. */
export async function sqliteCluster({
  organizations,
  answer,
}: {
  readonly organizations: number;
  readonly answer: Answer;
}): Promise<Cluster> {
  const receiver = await startReceiver({ answer });
  const disk: SmallDisk = smallFileSystem(DISK_BYTES) ?? limitedFiles(DISK_BYTES);
  const site = await prepareSite({
    webhookUrls: Array(organizations).fill(null),
    authority: receiver.authority,
    directory: disk.directory,
  });
  const operatorPort = await freePort();
  const env = { ...limitless, OPERATOR_PORT: String(operatorPort), OPERATOR_TOKEN };
  const instance = instanceOf({ url: site.url, operatorUrl: `http://127.0.0.1:${operatorPort}` }, () =>
    site.spawnServe({ env, under: disk.under }),
  );
  return {
    instances: [instance],
    publicUrl: site.url,
    secretKey: SECRET_KEY,
    receiver,
    organizations: site.organizations,
    embedded: site.embedded,
    unfinished: async () => unfinished(site.file),
    // The process that starts recovers every claim.
    ageAbandonedClaims: async () => {},
    storedText: async () => storedTextOf(site.file),
    disk: { fill: () => disk.fill(site), free: async () => disk.free() },
    lock: { hold: () => holdWriteLock(site.file) },
    database: null,
    async remove() {
      await site.remove();
      await receiver.stop();
      disk.remove();
    },
  };
}

function storedTextOf(file: string): string {
  return inspect(file, (database) => {
    const names = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).pluck().all();
    return names.map((name) => JSON.stringify(database.prepare(`SELECT * FROM "${name}"`).all())).join('\n');
  });
}

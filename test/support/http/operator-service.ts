import type { ErrorTracker } from '@rollcall/core';
import type { Container } from 'inversify';
import { pino } from 'pino';
import { assemble } from '#app/assembly/assemble.js';
import { ID } from '#app/assembly/identifiers.js';
import { readConfig } from '#app/config.js';
import { freePort } from '../app-cli.js';
import { startPostgresDatabase } from '../postgres.js';
import { startSqliteDatabase } from '../storage.js';
import { testSecretKey } from '../test-service.js';
import { httpClient, type Sent } from './client.js';
import { operatorContract } from './contract.js';
import type { Reply } from './reply.js';

export const operatorToken = 'the-token-of-the-operator-in-tests';

type Report = { readonly error: unknown } & Parameters<ErrorTracker['report']>[1];

export type OperatorService = Awaited<ReturnType<typeof startOperatorService>>;

export interface SendRecords extends Pick<Sent, 'headers' | 'chunked'> {
  readonly query?: string;
}

const databases = {
  async sqlite() {
    const { file, ...started } = await startSqliteDatabase();
    return { ...started, url: `sqlite:${file}` };
  },
  postgres: startPostgresDatabase,
};

export type OperatorDatabase = keyof typeof databases;

/** The whole service, running on free ports, with the operator's API. */
export async function startOperatorService({
  database: kind,
  environment = {},
  override,
}: {
  readonly database: OperatorDatabase;
  readonly environment?: Readonly<Record<string, string>>;
  readonly override?: (container: Container) => void;
}) {
  const { database, url, stop } = await databases[kind]();
  const [publicPort, port] = [await freePort(), await freePort()];
  const variables = {
    SECRET_KEY: testSecretKey,
    DATABASE_URL: url,
    PORT: String(publicPort),
    OPERATOR_PORT: String(port),
    OPERATOR_TOKEN: operatorToken,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
  const config = readConfig({ ...variables, ...environment }, () => undefined);
  const reports: Report[] = [];
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug', base: null }, { write: (line) => lines.push(JSON.parse(line)) });
  const assembly = assemble({ config, log, database });
  assembly.rebind(ID.errorTracker).toConstantValue({
    report: (error, context) => reports.push({ error, ...context }),
    flush: async () => {},
  });
  override?.(assembly);
  const service = assembly.get(ID.service);
  await service.start();
  const client = httpClient(port, operatorContract.checkAnswer);
  const send = (method: string, path: string, { headers, ...sent }: Sent = {}): Promise<Reply> =>
    client.send(method, `/operator/v1${path}`, {
      headers: { Authorization: `Bearer ${operatorToken}`, ...headers },
      ...sent,
    });
  return {
    ...{ assembly, database, client, publicPort, reports, lines },
    /** Sends a request with the token. The path follows `/operator/v1`. */
    get: (path: string) => send('GET', path),
    post: (path: string, json?: unknown) => send('POST', path, json === undefined ? {} : { json }),
    /** Imports records. The query begins with a question mark. */
    records: (
      body: string | Buffer | readonly object[],
      { query = '', headers, ...sent }: SendRecords = {},
    ) =>
      send('POST', `/records${query}`, {
        headers: { 'Content-Type': 'application/x-ndjson', ...headers },
        body: Array.isArray(body) ? ndjson(body) : (body as string | Buffer),
        ...sent,
      }),
    async stop(): Promise<void> {
      client.close();
      await service.stop();
      await stop();
    },
  };
}

/** The records, one a line. */
export function ndjson(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

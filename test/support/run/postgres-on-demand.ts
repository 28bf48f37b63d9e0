import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTemplate, type PostgresTemplate, serverAt } from '../postgres-template.js';

/** One PostgreSQL server for a whole run, which starts when a test file first asks for it. */
export interface PostgresOnDemand {
  /** Test files ask here; the answer is a `PostgresTemplate` as JSON, or 500 with the reason as text. */
  readonly url: string;
  /** Stops the server and removes its files. */
  remove(): Promise<void>;
}

/** `existing`: the URL of a server to use; without it, one is started. */
export async function postgresOnDemand(existing: string | undefined): Promise<PostgresOnDemand> {
  let started: Promise<PostgresTemplate & { remove(): Promise<void> }> | null = null;
  const http = createServer((_request, response) => {
    started ??= start(existing);
    started.then(
      ({ url, template }) => response.end(JSON.stringify({ url, template })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  // Does not keep the run alive.
  http.listen(0, '127.0.0.1').unref();
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    async remove() {
      http.close();
      http.closeAllConnections();
      const server = await started?.catch(() => null);
      await server?.remove();
    },
  };
}

async function start(existing: string | undefined): Promise<PostgresTemplate & { remove(): Promise<void> }> {
  // Loaded only now: a run without PostgreSQL does not need the driver.
  const { startPostgresServer } = await import('../postgres-server.js');
  const server = existing === undefined ? await startPostgresServer() : serverAt(existing);
  try {
    const { template, drop } = await createTemplate(server);
    const remove = async (): Promise<void> => {
      if (existing !== undefined) await drop();
      await server.remove();
    };
    return { url: server.url(), template, remove };
  } catch (error) {
    await server.remove();
    throw error;
  }
}

/** Asks the run for its server; starts it if nobody has asked before. */
export async function askForPostgres(url: string): Promise<PostgresTemplate> {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`PostgreSQL does not start: ${text}`);
  return JSON.parse(text) as PostgresTemplate;
}

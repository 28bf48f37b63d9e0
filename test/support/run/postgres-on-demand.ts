import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTemplate, type PostgresTemplate, serverAt } from '../postgres-template.js';

/**
 * One PostgreSQL server for a whole test run, which starts when a test file first requests it. `existing` is the URL of a
 * server to use. Without it, a server is started.
 */
export async function postgresOnDemand(existing: string | undefined) {
  let started: Promise<PostgresTemplate & { remove(): Promise<void> }> | null = null;
  const http = createServer((_request, response) => {
    started ??= start(existing);
    started.then(
      ({ url, template }) => response.end(JSON.stringify({ url, template })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  // The HTTP server must not keep the process alive.
  http.listen(0, '127.0.0.1').unref();
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    /** Where test files request it. The response is a `PostgresTemplate` as JSON, or 500 with the reason. */
    url: `http://127.0.0.1:${port}/`,
    /** Stops the server and removes its files. */
    async remove(): Promise<void> {
      http.close();
      http.closeAllConnections();
      const server = await started?.catch(() => null);
      await server?.remove();
    },
  };
}

async function start(existing: string | undefined): Promise<PostgresTemplate & { remove(): Promise<void> }> {
  // Imported here, so that a run without PostgreSQL does not load the driver.
  const { startPostgresServer } = await import('../postgres-server.js');
  const server = existing === undefined ? await startPostgresServer({ small: true }) : serverAt(existing);
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

/** Requests the server of the test run, which starts it if necessary. */
export async function askForPostgres(url: string): Promise<PostgresTemplate> {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`PostgreSQL does not start: ${text}`);
  return JSON.parse(text) as PostgresTemplate;
}

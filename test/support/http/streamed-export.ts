import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { TestContext } from 'node:test';
import { pathOf } from './operations.js';
import { type HttpService, startHttpService, type TestOrganization } from './service.js';

export type Chunks = () => AsyncIterable<Uint8Array>;

/** The path of an export without pages. */
export const exportPath = '/export_meetings?column=name';

/** Starts a service whose exports consist of the chunks. `total` is the number of meetings that a page reports. */
export async function startExporting(
  t: TestContext,
  chunks: Chunks,
  total: number | null = null,
): Promise<HttpService & Exporting> {
  const service = await startHttpService();
  t.after(service.stop);
  service.replace('meetings', {
    export: async ({ page }) => ({ total: page === null ? null : total, chunks: chunks() }),
  });
  return { ...service, own: await service.organization() };
}

// biome-ignore lint/correctness/useYield: it fails before its first chunk
export async function* throwing(error: Error): AsyncGenerator<Uint8Array> {
  throw error;
}

export function endlessChunks() {
  const seen = {
    given: 0,
    isReleased: false,
    chunks: async function* (): AsyncGenerator<Uint8Array> {
      const row = Buffer.alloc(64 * 1024, '0');
      try {
        for (;;) {
          seen.given += 1;
          yield row;
        }
      } finally {
        seen.isReleased = true;
      }
    },
  };
  return seen;
}

export interface Exporting {
  readonly client: HttpService['client'];
  readonly own: TestOrganization;
}

export function sendExport(
  { client, own }: Exporting,
  headers: Readonly<Record<string, string>> = {},
  path = exportPath,
) {
  return httpRequest({
    port: client.port,
    path: pathOf(own.id, path),
    headers: { Authorization: `Bearer ${own.token}`, ...headers },
  }).end();
}

export function beginExport(
  service: Exporting,
  ...options: [headers?: Record<string, string>, path?: string]
) {
  return new Promise<IncomingMessage>((resolve, reject) =>
    sendExport(service, ...options)
      .on('response', resolve)
      .on('error', reject),
  );
}

export function readUntilEnd(
  response: IncomingMessage,
): Promise<{ readonly text: string; readonly isComplete: boolean }> {
  return new Promise((resolve) => {
    let text = '';
    response
      .on('data', (chunk) => {
        text += chunk;
      })
      .on('error', () => undefined)
      .on('close', () => resolve({ text, isComplete: response.complete }));
  });
}

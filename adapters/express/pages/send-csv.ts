import type { ListDownload } from '@rollcall/core';
import type { PageDeps } from './page-deps.js';
import { recordDownload } from './record-download.js';
import type { Visit } from './visit.js';

/** Sends a list as a CSV file, and records the download. */
export async function sendCsv(
  deps: PageDeps,
  visit: Visit,
  { chunks, ...download }: ListDownload & { readonly chunks: AsyncIterable<Uint8Array> },
): Promise<void> {
  const { request, response } = visit;
  const writeHead = (): void => void response.attachment(`${download.list}.csv`);
  const recorded = recordDownload(deps, visit, { chunks, download });
  await deps.sendFile(request, response, { before: '', chunks: recorded, after: '', writeHead });
}

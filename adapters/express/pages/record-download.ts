import type { ListDownload, MeetingsDownload } from '@rollcall/core';
import type { PageDeps } from './page-deps.js';
import { actorOf, type Visit } from './visit.js';

/** Returns the chunks of a file that a person downloads, and records it with the first of them. HEAD has none. */
export function recordDownload(
  { core }: PageDeps,
  visit: Visit,
  {
    chunks,
    download,
  }: { readonly chunks: AsyncIterable<Uint8Array>; readonly download: MeetingsDownload | ListDownload },
): AsyncIterable<Uint8Array> {
  const { organization, request } = visit;
  if (request.method === 'HEAD') return chunks;
  return recorded(chunks, () => core.recordExport({ organization, ...download, by: actorOf(visit) }));
}

/** Nothing leaves before the audit trail says so, and nothing is recorded if the export is refused. */
async function* recorded(
  chunks: AsyncIterable<Uint8Array>,
  record: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let isRecorded = false;
  for await (const chunk of chunks) {
    if (!isRecorded) await record();
    isRecorded = true;
    yield chunk;
  }
  if (!isRecorded) await record();
}

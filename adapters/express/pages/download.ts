import type { ListDownload, MeetingsDownload } from '@rollcall/core';
import type { MemberVisit } from './visit.js';

interface Download {
  readonly fileName: string;
  /** What the audit trail says about it. */
  readonly record: MeetingsDownload | ListDownload;
  readonly before?: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly after?: string;
}

/** Sends a file, and records the download with the first of its chunks. HEAD has none. */
export async function sendDownload(
  { core, sendFile, organization, by, request, response }: MemberVisit,
  { fileName, record, before = '', chunks, after = '' }: Download,
): Promise<void> {
  const writeHead = (): void => void response.attachment(fileName);
  const work = () => core.recordExport({ organization, ...record, by });
  const sent = request.method === 'HEAD' ? chunks : recorded(chunks, work);
  await sendFile(request, response, { before, chunks: sent, after, writeHead });
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

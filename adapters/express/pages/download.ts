import type { ListDownload, MeetingsDownload } from '@rollcall/core';
import { sendFile } from '../stream.js';
import type { MemberVisit } from './visit.js';

interface Download {
  /** What is in the file, and from when. */
  readonly name: string;
  readonly form: 'csv' | 'json';
  /** What the audit trail says about it. */
  readonly record: MeetingsDownload | ListDownload;
  readonly before?: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly after?: string;
}

/** Sends a file, and records the download with the first of its chunks. HEAD has none. */
export async function sendDownload(
  { core, organization, by, request, response }: MemberVisit,
  { name, form, record, before = '', chunks, after = '' }: Download,
): Promise<void> {
  const writeHead = (): void => void response.attachment(`${wordsOf(organization.name)}-${name}.${form}`);
  const work = () => core.recordExport({ organization, ...record, by });
  const sent = request.method === 'HEAD' ? chunks : recorded(chunks, work);
  await sendFile(request, response, { before, chunks: sent, after, writeHead });
}

interface SentList {
  readonly list: ListDownload['list'];
  /** By default that of the list. */
  readonly name?: string;
  readonly exported: Promise<{ readonly chunks: AsyncIterable<Uint8Array> }>;
  readonly listed: Promise<{ readonly totalItems: number }>;
}

/** Sends what a list shows with the same address, on all its pages, as a CSV file. */
export async function sendList(
  visit: MemberVisit,
  { list, name = list, exported, listed }: SentList,
): Promise<void> {
  // Each of them reads the whole list if there is a search.
  const [{ chunks }, { totalItems }] = await Promise.all([exported, listed]);
  await sendDownload(visit, { name, form: 'csv', record: { list, rows: totalItems }, chunks });
}

const MAX_NAME_CHARACTERS = 60;

/** The name of an organization in that of a file: its letters and digits, with hyphens between the words. */
function wordsOf(name: string): string {
  const words = name.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? ['organization'];
  return words
    .join('-')
    .slice(0, MAX_NAME_CHARACTERS)
    .replace(/[\ud800-\udbff]$|-$/, '');
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

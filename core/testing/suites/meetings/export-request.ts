import {
  type ExportColumn,
  type ExportColumnKey,
  type ExportFormat,
  exportColumns,
} from '../../../meetings/export-columns.js';
import type { MeetingSelection } from '../../../meetings/meeting.js';
import type { ExportedRows } from '../../../meetings/ports/meetings.js';
import { noon } from '../../noon.js';
import type { TestStorage } from '../../start-storage.js';

export function exportRequest(selection: Partial<MeetingSelection>) {
  return {
    selection: {
      organizationId: 1,
      withServiceMeetings: true,
      eapOnly: false,
      state: 'any',
      starts: { from: null, before: null },
      updatedSince: null,
      now: noon,
      ...selection,
    },
    columns: columns('name'),
    form: 'json',
  } as const;
}

export function columns(...keys: readonly ExportColumnKey[]) {
  return keys.flatMap((key) => exportColumns.filter((column) => column.key === key));
}

export async function exported(
  storage: TestStorage,
  request: { readonly selection?: MeetingSelection; readonly columns?: readonly ExportColumn[] },
): Promise<readonly Record<string, unknown>[]> {
  return JSON.parse(
    `[${await textOf(await storage.meetings.export({ ...exportRequest({}), ...request, page: null }))}]`,
  );
}

export async function exportedNames(
  storage: TestStorage,
  selection: Partial<MeetingSelection>,
): Promise<readonly unknown[]> {
  return (await exported(storage, exportRequest(selection))).map((row) => row.name);
}

export async function exportedPage(
  storage: TestStorage,
  page: { readonly offset: number; readonly limit: number },
  selection: Partial<MeetingSelection> = {},
): Promise<{ readonly total: number | null; readonly names: readonly unknown[] }> {
  const rows = await storage.meetings.export({ ...exportRequest(selection), page });
  const parsed: readonly Record<string, unknown>[] = JSON.parse(`[${await textOf(rows)}]`);
  return { total: rows.total, names: parsed.map((row) => row.name) };
}

export async function encoded(
  storage: TestStorage,
  request: { readonly columns: readonly ExportColumn[]; readonly form: ExportFormat },
): Promise<string> {
  return textOf(await storage.meetings.export({ ...exportRequest({}), ...request, page: null }));
}

export async function textOf({ chunks }: ExportedRows): Promise<string> {
  const decoder = new TextDecoder();
  let all = '';
  for await (const chunk of chunks) all += decoder.decode(chunk, { stream: true });
  return all;
}

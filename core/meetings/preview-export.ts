import type { Uses } from '../deps.js';
import { chooseColumns, type ExportColumn } from './export-columns.js';
import { type ExportMeetings, exportMeetings } from './export-meetings.js';

const PREVIEW_ROWS = 10;

/** The request of `previewExport`: that of an export, without form and page. */
export type PreviewExport = Omit<ExportMeetings, 'form' | 'page' | 'perPage'>;

/** The beginning of an export. */
export interface ExportPreview {
  /** The number of meetings in the whole export. */
  readonly totalCount: number;
  /** The chosen columns in the requested order. */
  readonly columns: readonly ExportColumn[];
  /** The first ten rows, with a JSON value for each column. */
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
}

/**
 * Returns the first rows of an export and the number of all its rows.
 *
 * @throws `Refusal`: `invalid-request` with every parameter that is wrong; `too-many-requests` while the organization
 * has several exports running. `TypeError` if `organization.id` is not an id.
 */
export async function previewExport(
  deps: Uses<typeof exportMeetings>,
  request: PreviewExport,
): Promise<ExportPreview> {
  const { metadata, chunks } = await exportMeetings(deps, { ...request, page: 1, perPage: PREVIEW_ROWS });
  const objects = JSON.parse(`[${await textOf(chunks)}]`) as readonly Record<
    string,
    string | number | boolean | null
  >[];
  return {
    totalCount: metadata?.totalCount ?? 0,
    columns: chooseColumns(request.columns),
    rows: objects.map((object) => Object.values(object)),
  };
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text;
}

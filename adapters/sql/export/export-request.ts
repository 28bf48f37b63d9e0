import type { ExportColumn, ExportFormat, MeetingSelection } from '@rollcall/core';
import type { Engine } from '../engine/database.js';

export interface ExportRequest {
  readonly engine: Engine;
  readonly selection: MeetingSelection;
  readonly columns: readonly ExportColumn[];
  readonly form: ExportFormat;
}

/** The key of the last row that was read. The next rows come after it. */
export interface RowKey {
  readonly start_time: string;
  readonly id: number;
}

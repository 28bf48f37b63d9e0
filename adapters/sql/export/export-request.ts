import type { ExportColumn, ExportFormat, MeetingSelection } from '@rollcall/core';
import type { Engine, SqlValue } from '../engine/database.js';

/** An SQL text with its values. */
export interface SqlText {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

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

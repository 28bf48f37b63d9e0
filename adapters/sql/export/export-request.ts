import type { ExportColumn, ExportFormat, MeetingSelection } from '@rollcall/core';
import type { Engine } from '../engine/database.js';

/** `open`: neither completed nor canceled, whether ended or not. */
export interface Selection extends Omit<MeetingSelection, 'state'> {
  readonly state: MeetingSelection['state'] | 'open';
}

/** Which meetings are read. */
export interface SelectedMeetings {
  readonly engine: Engine;
  readonly selection: Selection;
  /** Only those whose searched text contains each of these words. Undefined: all. */
  readonly words?: readonly string[] | undefined;
}

export interface ExportRequest extends SelectedMeetings {
  readonly columns: readonly ExportColumn[];
  readonly form: ExportFormat;
}

/** The key of the last row that was read. The next rows come after it. */
export interface RowKey {
  readonly start_time: string;
  readonly id: number;
}

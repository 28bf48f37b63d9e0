import { DatasetError } from '@rollcall/sql/maintenance';

/** A place in a dataset. The first line is 1. */
export interface Position {
  readonly line: number;
}

/** The error of one field, or of the whole line without a `field`. */
export function invalidField(at: Position, field: string | null, message: string): DatasetError {
  return new DatasetError({ line: at.line, field }, message);
}

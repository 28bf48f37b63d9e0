import { type Field, Refusal, Unavailable } from '@rollcall/core';
import { isMisconfigured, SqliteDriverMissing } from '@rollcall/sql';
import { DatasetError, TransferError } from '@rollcall/sql/maintenance';
import { ConfigurationError } from './config/configuration-error.js';
import { DatasetErrors } from './dataset/dataset-errors.js';
import { Failure } from './failure.js';
import { UsageError } from './usage-error.js';

/**
 * Supervisors act on these. 1: refused or failed. 2: the command line, the configuration or the installation is wrong, so
 * trying again is useless. 75 (EX_TEMPFAIL of sysexits.h): the database is unavailable, busy or full, so try again later.
 */
export const exitCodes = { failed: 1, usage: 2, unavailable: 75 } as const;

export function exitCodeOf(error: unknown): number {
  if ([ConfigurationError, UsageError, SqliteDriverMissing].some((kind) => error instanceof kind))
    return exitCodes.usage;
  if (!(error instanceof Unavailable)) return exitCodes.failed;
  return isMisconfigured(error) ? exitCodes.usage : exitCodes.unavailable;
}

/** The lines to show for an error. The stack of a bug is shown with `LOG_LEVEL=debug` only. */
export function messagesOf(error: unknown, withStack: boolean): readonly string[] {
  if (error instanceof ConfigurationError)
    return error.problems.map(({ name, message }) => `${name}: ${message}`);
  if (error instanceof UsageError) return [`error: ${error.message}`];
  if (error instanceof Refusal) return error.texts(optionName);
  if (error instanceof DatasetError) return [...datasetMessages(error), 'Nothing was imported.'];
  if (error instanceof TransferError) return [error.message, 'Nothing was copied.'];
  if (error instanceof Failure || error instanceof SqliteDriverMissing) return [error.message];
  if (error instanceof Unavailable)
    return [isMisconfigured(error) ? error.message : `${error.message} ${whatNext(error)}`];
  return bugMessages(error, withStack);
}

function whatNext({ isOutcomeUnknown }: Unavailable): string {
  return isOutcomeUnknown ? 'Check it, then try again.' : 'Try again in a moment.';
}

/** The name of the command line's option for the field. */
function optionName(field: Field): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function bugMessages(error: unknown, withStack: boolean): readonly string[] {
  if (withStack) return [`Unexpected error: ${stackOf(error)}`];
  const [what = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return [`Unexpected error: ${what} (run again with LOG_LEVEL=debug for details)`];
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function datasetMessages(error: DatasetError): readonly string[] {
  if (!(error instanceof DatasetErrors)) return [datasetMessage(error)];
  const { reported, further } = error;
  const rest = further === 0 ? [] : [`and ${further.toLocaleString('en')} more`];
  return [...reported.map(datasetMessage), ...rest];
}

export function datasetMessage({ line, field, message }: DatasetError): string {
  const place = [line === null ? [] : [`line ${line}`], field === null ? [] : [`field ${field}`]].flat();
  return place.length === 0 ? `dataset: ${message}` : `${place.join(', ')}: ${message}`;
}

import { Refusal, Unavailable } from '@rollcall/core';
import { DatasetError } from '#adapters/sql/dataset.js';
import { ConfigurationError } from './config.js';

export { ConfigurationError };

/** A command could not do what it should, for a reason that people can understand; its message is all that they see. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** What to tell about an error, a line each. Only a bug shows where it happened. */
export function messagesOf(error: unknown): readonly string[] {
  if (error instanceof ConfigurationError) return error.problems;
  if (error instanceof Refusal) return error.messages;
  if (error instanceof DatasetError) return [datasetMessage(error), 'Nothing was imported.'];
  if (error instanceof Failure) return [error.message];
  if (error instanceof Unavailable) return [`${error.message} Try again in a moment.`];
  if (error instanceof Error) return [`This should not have happened: ${error.stack ?? error.message}`];
  return [`This should not have happened: ${String(error)}`];
}

function datasetMessage({ line, field, message }: DatasetError): string {
  const place = [line === null ? [] : [`line ${line}`], field === null ? [] : [`field ${field}`]].flat();
  return place.length === 0 ? `The dataset: ${message}` : `${place.join(', ')}: ${message}`;
}

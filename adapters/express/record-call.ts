import type { ApiCall } from '@rollcall/core';
import type { Request, Response } from 'express';
import { inputRules, type OperationId } from './contract.js';
import { localsOf } from './locals.js';
import { rawQuery } from './raw-query.js';

/** A call without its time, which the receiver knows. */
export type EndedCall = Omit<ApiCall, 'at'>;

/**
 * The call of an operation that has ended; null: its organization is not known. Its path has no value of a query and only
 * the ids of the organization and of a delivery: the list is shown to people, and need not be searched when one of them is
 * erased. The path is made when it is read, because most calls of a busy second are never listed.
 */
export function endedCall(request: Request, response: Response, milliseconds: number): EndedCall | null {
  const {
    operation,
    callerId,
    route = '',
    url = '',
    errorCode = null,
    errorTexts,
    requestId = '',
  } = localsOf(response);
  if (operation === undefined || callerId === undefined) return null;
  return {
    organizationId: callerId,
    method: request.method,
    operation,
    get path() {
      return shownPath(route, url) + shownQuery(operation, url);
    },
    status: response.writableFinished ? response.statusCode : null,
    errorCode,
    get errorText() {
      return errorTexts === undefined ? null : shownText(errorTexts);
    },
    requestId,
    milliseconds: Math.round(milliseconds),
  };
}

const MAX_TEXT = 300;
/** What the client sent: the name of an unknown field, what is quoted, and email addresses. `{"enabled":true}` is an example. */
const SENT = /^.*(?= is not a \w+ of this )|"(?:[^"\\]|\\.)*"(?!:)|\S*@\S*/gs;

/** Without what the client sent, and without halves of characters, which a database refuses. */
function shownText(texts: readonly string[]): string {
  const text = texts.map((each) => each.replace(SENT, '…')).join('; ');
  return [...text].slice(0, MAX_TEXT).join('');
}

/** Variables of a path whose values are shown. */
const shownVariables: readonly string[] = [':organizationId', ':deliveryId'];

function shownPath(route: string, url: string): string {
  const parts = url.split('?', 1).join('').split('/');
  return route
    .split('/')
    .map((part, index) => {
      if (!part.startsWith(':')) return part;
      const value = parts[index] ?? '';
      return shownVariables.includes(part) && /^\d{1,16}$/.test(value) ? value : `{${part.slice(1)}}`;
    })
    .join('/');
}

/** Enough for every parameter of an operation, but not for a list of thousands. */
const MAX_PAIRS = 100;

/** The names of the parameters. Those that the operation does not have may be anything. */
function shownQuery(operation: OperationId, url: string): string {
  if (!url.includes('?')) return '';
  const known = fieldsOf(operation);
  const names = rawQuery(url)
    .split('&', MAX_PAIRS)
    .map((pair) => /^\w*/.exec(pair)?.[0] ?? '')
    .map((name) => (known.has(name) ? name : '…'));
  return `?${[...new Set(names)].join('&')}`;
}

const fields = new Map<OperationId, ReadonlyMap<string, unknown>>();

function fieldsOf(operation: OperationId): ReadonlyMap<string, unknown> {
  const known = fields.get(operation) ?? inputRules(operation).fields;
  fields.set(operation, known);
  return known;
}

import type { FindProvisioned } from '@rollcall/core';
import { attributeName } from './attributes.js';
import { DirectoryError } from './directory-error.js';

const MAX_FILTER_CHARACTERS = 1000;

type Filter = Pick<FindProvisioned, 'attribute' | 'value'>;

const filtered: ReadonlyMap<string, Filter['attribute']> = new Map([
  ['id', 'id'],
  ['username', 'userName'],
  ['externalid', 'externalId'],
  ['emails', 'emails'],
  ['emails.value', 'emails'],
]);

/** An attribute, whose brackets may hold spaces, an operator and a value. It fits every text, so nothing is tried twice. */
const COMPARISON = /^((?:\[[^\]]*\]?|[^ [])*) *([^ ]*) *(.*)$/s;

/**
 * Reads a filter of one comparison, such as `userName eq "ada"`. The value may be without quotation marks. What stands in
 * brackets after `emails` does not matter, because one address is kept.
 */
export function readFilter(filter: string): Filter {
  if (filter.length > MAX_FILTER_CHARACTERS) throw notUnderstood();
  const [, name = '', operator = '', text = ''] = COMPARISON.exec(filter.trim()) ?? [];
  const attribute = filtered.get(attributeName(name).replace(/^emails\[.*\]/s, 'emails'));
  const value = readValue(text);
  if (attribute === undefined || operator.toLowerCase() !== 'eq' || value === null) throw notUnderstood();
  return { attribute, value };
}

/** Null: it is not one value. */
function readValue(text: string): string | null {
  if (!text.startsWith('"')) return text === '' || /[\s"]/.test(text) ? null : text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

function notUnderstood(): DirectoryError {
  return new DirectoryError(
    400,
    'invalidFilter',
    'The filter must compare id, userName, externalId or emails with one value by eq',
  );
}

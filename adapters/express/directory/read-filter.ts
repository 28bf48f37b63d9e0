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

/**
 * Reads a filter of one comparison, such as `userName eq "ada"`, in one pass. The value may be without quotation marks. What
 * stands in brackets after `emails` does not matter, because one address is kept.
 */
export function readFilter(filter: string): Filter {
  if (filter.length > MAX_FILTER_CHARACTERS) throw notUnderstood();
  const text = filter.trim();
  const attributeEnd = endOfAttribute(text);
  const operatorStart = skipSpaces(text, attributeEnd);
  const operatorEnd = endOfWord(text, operatorStart);
  const valueStart = skipSpaces(text, operatorEnd);
  const attribute = filtered.get(withoutBrackets(attributeName(text.slice(0, attributeEnd))));
  const value = readValue(text.slice(valueStart));
  const isEqual = text.slice(operatorStart, operatorEnd).toLowerCase() === 'eq';
  if (attribute === undefined || !isEqual || value === null) throw notUnderstood();
  return { attribute, value };
}

/** The end of the attribute: the first space outside of brackets. */
function endOfAttribute(text: string): number {
  let isInBrackets = false;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '[') isInBrackets = true;
    else if (text[index] === ']') isInBrackets = false;
    else if (text[index] === ' ' && !isInBrackets) return index;
  }
  return text.length;
}

function skipSpaces(text: string, from: number): number {
  let index = from;
  while (text[index] === ' ') index += 1;
  return index;
}

function endOfWord(text: string, from: number): number {
  const end = text.indexOf(' ', from);
  return end < 0 ? text.length : end;
}

function withoutBrackets(name: string): string {
  const [start, end] = [name.indexOf('['), name.lastIndexOf(']')];
  if (start < 0 && end < 0) return name;
  return name.startsWith('emails[') && end > start ? `emails${name.slice(end + 1)}` : '';
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

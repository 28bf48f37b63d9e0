import { Refusal } from '@rollcall/core';
import type { InputRules } from './contract.js';
import { type FailedRule, unknownField } from './failed-rule.js';

export type QueryValues = Readonly<Record<string, string | number | readonly string[]>>;

const MAX_PARAMETERS = 1000;

/**
 * Returns the values of a raw query string and the rules that it fails. Parameters that the operation does not have are
 * ignored, or fail if the operation is strict. Empty ones count as left out, and whole numbers are read as numbers if the
 * operation expects a number. A list is written `name=`, `name[]=` or `name[0]=` and keeps the order of its values in the
 * query (decision 11).
 */
export function readQuery(
  raw: string,
  { fields, lists, isStrict }: Pick<InputRules, 'fields' | 'lists' | 'isStrict'>,
): { readonly values: QueryValues; readonly failed: readonly FailedRule[] } {
  if (raw === '') return { values: {}, failed: [] };
  const pairs = raw.split('&', MAX_PARAMETERS + 1);
  if (pairs.length > MAX_PARAMETERS) {
    throw new Refusal('invalid-request', `the query must have at most ${MAX_PARAMETERS} parameters`);
  }

  const found = new Map<string, Parameter>();
  const others = new Set<string>();
  for (const pair of pairs) collect({ found, others }, pair, { fields, lists });
  const values: Record<string, string | number | readonly string[]> = {};
  const failed: FailedRule[] = isStrict ? [...others].map((name) => unknownParameter(name, fields)) : [];
  for (const [name, parameter] of found) {
    const failure = failureOf(name, parameter, lists);
    const [text = ''] = parameter.texts;
    if (failure !== null) failed.push(failure);
    else if (lists.has(name)) values[name] = parameter.texts;
    else values[name] = fields.get(name)?.type === 'integer' ? numberIn(text) : text;
  }
  return { values, failed };
}

/** A text that is not a whole number stays as it is. */
function numberIn(text: string): number | string {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

interface Parameter {
  readonly texts: string[];
  /** Whether a value has broken escapes or is not UTF-8. */
  isBroken: boolean;
  /** Whether the name has brackets that do not mean a list. */
  hasWrongBrackets: boolean;
}

function collect(
  { found, others }: { readonly found: Map<string, Parameter>; readonly others: Set<string> },
  pair: string,
  { fields, lists }: Pick<InputRules, 'fields' | 'lists'>,
): void {
  const equals = pair.indexOf('=');
  const written = equals < 0 ? pair : pair.slice(0, equals);
  const [, name, brackets] = /^([^[\]]+)(\[.*)?$/s.exec(decode(written) ?? '') ?? [];
  if (name === undefined || !fields.has(name)) {
    if (pair !== '') others.add(name ?? (written || pair));
    return;
  }

  const text = decode(equals < 0 ? '' : pair.slice(equals + 1));
  if (text === '') return;
  const parameter = found.get(name) ?? { texts: [], isBroken: false, hasWrongBrackets: false };
  found.set(name, parameter);
  if (text === null) parameter.isBroken = true;
  else parameter.texts.push(text);
  if (brackets !== undefined && !(lists.has(name) && /^\[\d{0,9}\]$/.test(brackets)))
    parameter.hasWrongBrackets = true;
}

function unknownParameter(name: string, fields: InputRules['fields']): FailedRule {
  return unknownField(name, { kind: 'parameter', whole: 'operation', allowed: [...fields.keys()] });
}

function failureOf(
  path: string,
  { texts, isBroken, hasWrongBrackets }: Parameter,
  lists: ReadonlySet<string>,
): FailedRule | null {
  const failure = (keyword: string, message: string): FailedRule => ({
    path,
    keyword,
    code: 'malformed',
    message,
  });
  // Trimmed, it would be the address of another person: the space may be a plus sign.
  if (path === 'email' && texts[0]?.startsWith(' ') === true)
    return failure('format', 'must be an email address such as dana@example.com');
  if (isBroken) return failure('encoding', 'must be percent-encoded UTF-8');
  if (lists.has(path))
    return hasWrongBrackets ? failure('brackets', `must be written ${path}, ${path}[] or ${path}[0]`) : null;
  return hasWrongBrackets || texts.length > 1 ? failure('once', 'must be one text, given once') : null;
}

/** Decodes a part of a query. Null if an escape is broken or the bytes are not UTF-8. */
export function decode(text: string): string | null {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return null;
  }
}

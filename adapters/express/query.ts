import { type Problem, Refusal } from '@rollcall/core';
import { fieldNamed } from './wire-names.js';

/** Which parameters an operation reads. Others are ignored, whatever they hold. */
export interface QueryRules {
  readonly scalars: ReadonlySet<string>;
  /** Read as `name=`, `name[]=` and `name[0]=`, in the order in which they come (decision 11). */
  readonly lists: ReadonlySet<string>;
  /** Of the scalars, those that are never a reason to refuse: what can't be read is NaN (decision 8). */
  readonly lenient: ReadonlySet<string>;
}

export type QueryValues = Readonly<Record<string, string | number | readonly string[]>>;

const MOST_PARAMETERS = 1000;

/** The values of a raw query string. What is empty counts as left out; every mistake is told at once. */
export function readQuery(
  raw: string,
  rules: QueryRules,
): { readonly values: QueryValues; readonly problems: readonly Problem[] } {
  if (raw === '') return { values: {}, problems: [] };
  const pairs = raw.split('&', MOST_PARAMETERS + 1);
  if (pairs.length > MOST_PARAMETERS) {
    throw new Refusal('invalid-request', `the query must have at most ${MOST_PARAMETERS} parameters`);
  }

  const found = new Map<string, Found>();
  for (const pair of pairs) collect(found, pair, rules);
  const values: Record<string, string | number | readonly string[]> = {};
  const problems: Problem[] = [];
  for (const [name, given] of found) {
    const problem = problemOf(name, given, rules);
    if (rules.lenient.has(name)) values[name] = problem === null ? (given.texts[0] ?? '') : Number.NaN;
    else if (problem !== null) problems.push(problem);
    else values[name] = rules.lists.has(name) ? given.texts : (given.texts[0] ?? '');
  }
  return { values, problems };
}

interface Found {
  readonly texts: string[];
  /** Whether a value has broken escapes or is no UTF-8. */
  isBroken: boolean;
  /** Whether it was written with brackets that mean something else than a list. */
  isMisshapen: boolean;
}

function collect(found: Map<string, Found>, pair: string, { scalars, lists }: QueryRules): void {
  const equals = pair.indexOf('=');
  const [, name, brackets] =
    /^([^[\]]+)(\[.*)?$/s.exec(decode(equals < 0 ? pair : pair.slice(0, equals)) ?? '') ?? [];
  if (name === undefined || !(scalars.has(name) || lists.has(name))) return;

  const text = decode(equals < 0 ? '' : pair.slice(equals + 1));
  if (text === '') return;
  const given = found.get(name) ?? { texts: [], isBroken: false, isMisshapen: false };
  found.set(name, given);
  if (text === null) given.isBroken = true;
  else given.texts.push(text);
  if (brackets !== undefined && !(lists.has(name) && /^\[\d{0,9}\]$/.test(brackets)))
    given.isMisshapen = true;
}

function problemOf(
  name: string,
  { texts, isBroken, isMisshapen }: Found,
  { lists }: QueryRules,
): Problem | null {
  const malformed = (message: string): Problem => ({ field: fieldNamed(name), code: 'malformed', message });
  if (isBroken) return malformed('must be percent-encoded UTF-8');
  if (lists.has(name))
    return isMisshapen ? malformed(`must be written ${name}, ${name}[] or ${name}[0]`) : null;
  return isMisshapen || texts.length > 1 ? malformed('must be one text, given once') : null;
}

/** Strictly: null where an escape is broken or the bytes are no UTF-8. */
export function decode(text: string): string | null {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return null;
  }
}

import { placeholders, type SqlValue } from './database.js';

/**
 * A statement, or a part of one, and the values of its parameters. A class, so that no list that comes from outside is taken
 * for one, whatever its types say.
 */
export class SqlText {
  readonly text: string;
  readonly values: readonly SqlValue[];

  constructor(text: string, values: readonly SqlValue[]) {
    this.text = text;
    this.values = values;
  }

  /** As statements are run. */
  get args(): readonly [text: string, values: readonly SqlValue[]] {
    return [this.text, this.values];
  }
}

/** A text becomes a part of the statement. Everything else is a value, for which the statement has a parameter. */
type Part = SqlText | SqlValue;

/** A template, or a statement that has been made. */
export type Template =
  | readonly [texts: TemplateStringsArray, ...parts: readonly Part[]]
  | readonly [made: SqlText];

/** The latest text of each template: mostly the same string again, which its prepared statement is found by faster. */
const latest = new WeakMap<
  TemplateStringsArray,
  { readonly given: readonly string[]; readonly text: string }
>();

/** A statement, or a part of one, with the values where their parameters are. */
export function SQL(...[texts, ...parts]: Template): SqlText {
  if (texts instanceof SqlText) return texts;
  const given = parts.map((part) => (part instanceof SqlText ? part.text : '?'));
  let found = latest.get(texts);
  if (found === undefined || !given.every((text, index) => text === found?.given[index])) {
    found = { given, text: texts.map((text, index) => text + (given[index] ?? '')).join('') };
    latest.set(texts, found);
  }
  const values = parts.flatMap((part) => (part instanceof SqlText ? part.values : [part]));
  return new SqlText(found.text, values);
}

/** A part of a statement that has no values. Nothing that comes from outside may be in it. */
export function raw(text: string | number | bigint): SqlText {
  return new SqlText(String(text), []);
}

/** The values of an `IN (…)`, or of other columns side by side. */
export function listOf(values: readonly SqlValue[]): SqlText {
  return new SqlText(placeholders(values.length), values);
}

export function joinTexts(texts: readonly SqlText[], separator: string): SqlText {
  return new SqlText(
    texts.map(({ text }) => text).join(separator),
    texts.flatMap(({ values }) => values),
  );
}

/** False: it is not asked for. */
export type Condition = SqlText | false;

/** All conditions that are asked for. */
export function allOf(...conditions: readonly Condition[]): SqlText {
  return joinTexts(
    conditions.filter((condition) => condition !== false),
    ' AND ',
  );
}

/** The same behind other conditions. Empty if nothing is asked for. */
export function andAllOf(...conditions: readonly Condition[]): SqlText {
  const all = allOf(...conditions);
  return all.text === '' ? all : SQL` AND ${all}`;
}

const LIST_SIZES = [1, 5, 10, 25, 50, 100] as const;

/**
 * Splits values into lists for `IN (…)`. The lists have few different lengths, so that few statements are prepared. The
 * last list is padded with nulls, which match nothing.
 */
export function inLists(values: readonly SqlValue[]): readonly SqlText[] {
  const lists: SqlText[] = [];
  for (let start = 0; start < values.length; start += 100) {
    const part = values.slice(start, start + 100);
    const size = LIST_SIZES.find((size) => size >= part.length) ?? part.length;
    while (part.length < size) part.push(null);
    lists.push(listOf(part));
  }
  return lists;
}

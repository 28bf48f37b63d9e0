import type { SqlValue } from './database.js';

/** A part of a statement, and the values of its parameters. */
export interface SqlText {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** A condition and the values of its parameters. False: it is not asked for. */
export type Condition = readonly [text: string, ...values: readonly SqlValue[]] | false;

/** All conditions that are asked for. */
export function allOf(...conditions: readonly Condition[]): SqlText {
  const asked = conditions.filter((condition) => condition !== false);
  return {
    text: asked.map(([text]) => text).join(' AND '),
    values: asked.flatMap(([, ...values]) => values),
  };
}

/** The same behind other conditions. Empty if nothing is asked for. */
export function andAllOf(...conditions: readonly Condition[]): SqlText {
  const { text, values } = allOf(...conditions);
  return { text: text && ` AND ${text}`, values };
}

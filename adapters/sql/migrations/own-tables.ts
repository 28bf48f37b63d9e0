import { migrations } from './index.js';

/** The tables of the newest schema, on either engine. The schema may also have tables of other applications. */
export const ownTables: readonly string[] = [
  ...new Set(
    migrations
      .flatMap(({ sqlite, postgres }) => [
        ...`${sqlite} ${JSON.stringify(postgres)}`.matchAll(/CREATE TABLE (\w+)/g),
      ])
      .map(([, name = '']) => name),
  ),
].sort();

/** The same as a list of SQL. */
export const ownTablesText = ownTables.map((name) => `'${name}'`).join(', ');

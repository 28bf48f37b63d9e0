import type { Database, Sql, SqlValue } from '#adapters/sql/index.js';

interface Explained {
  readonly 'QUERY PLAN': readonly [
    { readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number } },
  ];
}

/** Counts the pages that statements read, which do not depend on how busy the machine is. */
export function countBuffers(database: Database) {
  let pages = 0;
  const explained = (sql: Sql): Sql => {
    const explain = async (text: string, values: readonly SqlValue[] = []): Promise<void> => {
      await sql.run('SAVEPOINT explained');
      const row = await sql.get<Explained>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
      await sql.run('ROLLBACK TO SAVEPOINT explained');
      const plan = row?.['QUERY PLAN'][0].Plan;
      pages += (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
    };
    const then =
      <Answer>(run: (text: string, values?: readonly SqlValue[]) => Promise<Answer>) =>
      async (text: string, values?: readonly SqlValue[]) => {
        await explain(text, values);
        return run(text, values);
      };
    return {
      all: (text, values) => then(() => sql.all<never>(text, values))(text, values),
      rows: (text, values) => then(() => sql.rows<never>(text, values))(text, values),
      get: (text, values) => then(() => sql.get<never>(text, values))(text, values),
      run: then(sql.run),
    };
  };
  return {
    /** The same database, which explains every statement in a transaction before it runs. */
    database: { ...database, write: (work) => database.write((sql) => work(explained(sql))) } as Database,
    /** The number of pages that statements in transactions have read, from disk or memory, since the last call. */
    take(): number {
      const taken = pages;
      pages = 0;
      return taken;
    },
  };
}

import type { Client } from 'pg';
import type { Bulk } from '../engine/database.js';
import { traceStatement } from '../engine/tracing.js';
import { copyIn } from '../fast-paths/copy-in.js';
import { guard, type StatementTimeout, sqlOn } from './query.js';
import { BEGIN, isPooled } from './session.js';
import { inSavepoint, inTransaction } from './transaction.js';

/** The name of commands' connections in the server's list. */
export const COMMAND_NAME = 'rollcall command';

const noTimeout: StatementTimeout = () => 0;
/** A COMMIT checks and writes little. One that takes longer waits for a synchronous standby. */
const commitTimeout: StatementTimeout = () => 60_000;

const REPEATABLE_READ = 'ISOLATION LEVEL REPEATABLE READ';

/** Runs `work` with a connection for loading. Through a pooler, all of it is one transaction. */
export function withBulk<T>(connection: Client, work: (bulk: Bulk) => Promise<T>): Promise<T> {
  const sql = sqlOn(() => connection, noTimeout);
  const common = {
    engine: 'postgres' as const,
    ...sql,
    load: (into, values) =>
      traceStatement('postgres', `COPY ${into.table} FROM STDIN`, () =>
        guard(connection, () => copyIn(connection, into, values)),
      ),
    // A pooler lends one connection to many clients, under the name of the last one.
    isAlone: async () => !isPooled(connection) && (await sql.get(otherClients, [COMMAND_NAME])) === undefined,
  } satisfies Partial<Bulk>;
  const transaction = <U>(begin: string, step: () => Promise<U>): Promise<U> =>
    inTransaction(connection, { begin, timeout: noTimeout, commitTimeout }, step);
  const write = <U>(step: () => Promise<U>): Promise<U> => transaction(BEGIN, step);
  if (!isPooled(connection)) {
    const read: Bulk['read'] = (step) => transaction(`BEGIN ${REPEATABLE_READ} READ ONLY`, step);
    return work({ ...common, temporary: write, read, write });
  }
  const part = <U>(step: () => Promise<U>): Promise<U> => inSavepoint(connection, sql, step);
  return write(async () => {
    const read: Bulk['read'] = async (step) => {
      await sql.run(`SET TRANSACTION ${REPEATABLE_READ}`);
      return step();
    };
    const result = await work({ ...common, temporary: part, read, write: part });
    // Otherwise the next client of this connection would find the temporary tables.
    await sql.run('DISCARD TEMP');
    return result;
  });
}

/** Finds a client that is not a command. A service may have any name, because a URL can set it. */
const otherClients = `SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND usesysid IS NOT NULL AND application_name <> ? LIMIT 1`;

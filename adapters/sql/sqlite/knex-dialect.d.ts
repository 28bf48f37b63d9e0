/** Knex has types for its clients together, but none for the client of one database. */
declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import { Knex } from 'knex';

  class SqliteClient extends Knex.Client {}
  export = SqliteClient;
}

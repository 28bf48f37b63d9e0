/** Knex has a type for clients in general, but none for the client of one database. */
declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import { Knex } from 'knex';

  class SqliteClient extends Knex.Client {}
  export = SqliteClient;
}

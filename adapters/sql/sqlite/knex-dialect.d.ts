/** Knex has types for its clients together, and none for the one of a driver. */
declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import { Knex } from 'knex';

  class SqliteClient extends Knex.Client {
    /** The package of the driver. Called once, when the client is made. */
    protected _driver(): unknown;
  }
  export = SqliteClient;
}

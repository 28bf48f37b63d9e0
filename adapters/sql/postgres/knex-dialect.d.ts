/** Knex has types for its clients together, but none for the client of one database. */
declare module 'knex/lib/dialects/postgres/index.js' {
  import { Knex } from 'knex';

  class PostgresClient extends Knex.Client {}
  export = PostgresClient;
}

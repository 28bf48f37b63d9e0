/** Knex has a type for clients in general, but none for the client of one database. */
declare module 'knex/lib/dialects/postgres/index.js' {
  import { Knex } from 'knex';

  class PostgresClient extends Knex.Client {}
  export = PostgresClient;
}

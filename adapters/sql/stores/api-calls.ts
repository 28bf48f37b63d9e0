import type { ApiCall, ApiCalls } from '@rollcall/core';
import { maxApiCalls } from '@rollcall/core/rules';
import type { Database, Engine } from '../engine/database.js';
import { raw } from '../engine/sql-text.js';
import { storedIn } from '../engine/stored.js';

const storedCall = storedIn('api_calls', {
  ...{ organizationId: 'whole', at: 'time', method: 'text', operation: 'text', path: 'text' },
  ...{ status: 'wholeOrNull', errorCode: 'textOrNull', errorText: 'textOrNull', requestId: 'text' },
  milliseconds: 'whole',
}) satisfies { read(row: never): ApiCall };

const COLUMNS =
  'organization_id, at, method, operation, path, status, error_code, error_text, request_id, milliseconds';

/** The calls of one parameter as rows, so that the statement is the same for any number of them. */
const added: Record<Engine, string> = {
  sqlite: `SELECT key AS place, value ->> 'organizationId' AS organization_id, value ->> 'at' AS at,
      value ->> 'method' AS method, value ->> 'operation' AS operation, value ->> 'path' AS path,
      value ->> 'status' AS status, value ->> 'errorCode' AS error_code, value ->> 'errorText' AS error_text,
      value ->> 'requestId' AS request_id, value ->> 'milliseconds' AS milliseconds
    FROM json_each(?)`,
  postgres: `SELECT place, "organizationId" AS organization_id, at, method, operation, path, status,
      "errorCode" AS error_code, "errorText" AS error_text, "requestId" AS request_id, milliseconds
    FROM ROWS FROM (json_to_recordset(CAST(? AS json)) AS (
      "organizationId" bigint, at timestamptz, method text, operation text, path text, status integer,
      "errorCode" text, "errorText" text, "requestId" text, milliseconds bigint
    )) WITH ORDINALITY AS call ("organizationId", at, method, operation, path, status, "errorCode",
      "errorText", "requestId", milliseconds, place)`,
};

const insert = `INSERT INTO api_calls (${COLUMNS})
  SELECT ${COLUMNS} FROM added WHERE organization_id IN (SELECT id FROM organizations) ORDER BY place`;

/** Deletes the calls of the added organizations that are not among the newest. */
const prune = `DELETE FROM api_calls WHERE id IN (
    SELECT id FROM (
      SELECT id, row_number() OVER (PARTITION BY organization_id ORDER BY at DESC, id DESC) AS place
      FROM api_calls WHERE organization_id IN (SELECT organization_id FROM added)
    )
    WHERE place > ${maxApiCalls}
  )`;

/**
 * The same in one statement with the insertion, so it finds the rows that were there before. Arrays keep PostgreSQL from
 * reading the calls of all organizations. Rows that another instance deletes are passed over, so that none waits.
 */
const pruneBefore = `deleted AS (
    DELETE FROM api_calls WHERE id = ANY (ARRAY(
      SELECT id FROM api_calls WHERE id = ANY (ARRAY(
        SELECT older.id
        FROM unnest(ARRAY(SELECT DISTINCT organization_id FROM added)) AS wanted (organization_id)
        JOIN LATERAL (
          SELECT id FROM api_calls WHERE organization_id = wanted.organization_id
          ORDER BY at DESC, id DESC OFFSET ${maxApiCalls}
        ) AS older ON true
      )) FOR UPDATE SKIP LOCKED
    ))
  )`;

export function sqlApiCalls({ engine, read, write }: Database): ApiCalls {
  const calls = `WITH added AS (${added[engine]})`;
  const statements =
    engine === 'sqlite'
      ? [`${calls} ${insert}`, `${calls} ${prune}`]
      : [`${calls}, ${pruneBefore} ${insert}`];
  return {
    async add(batch) {
      if (batch.length === 0) return;
      const json = JSON.stringify(batch);
      await write(
        async (sql) => {
          for (const statement of statements) await sql.run(statement, [json]);
        },
        { isMinor: true },
      );
    },

    latest: (organizationId) =>
      storedCall.all(read)`FROM api_calls WHERE organization_id = ${organizationId}
        ORDER BY at DESC, id DESC LIMIT ${raw(maxApiCalls)}`,
  };
}

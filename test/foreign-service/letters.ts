import type {
  Attempt,
  AttemptOutcome,
  AttemptPhase,
  ClaimedDelivery,
  Deliveries,
  Delivery,
  DeliveryState,
  EventName,
  NewEvent,
  Outbox,
} from '@rollcall/core';
import { type Database, momentOrNull, type Value } from './database.js';
import { writeDown } from './diary.js';

interface LetterRow {
  readonly id: number;
  readonly company: number;
  readonly event: string;
  readonly topic: EventName;
  readonly body: string;
  readonly made: number;
  readonly state: DeliveryState;
  readonly ended: number | null;
}

interface SendingRow {
  readonly began: number;
  readonly took: number | null;
  readonly outcome: AttemptOutcome;
  readonly phase: AttemptPhase | null;
  readonly status: number | null;
  readonly reason: string;
}

/** Part of the transaction in which the event happened. */
export function addLetter(database: Database, { id, name, organizationId, body, createdAt }: NewEvent): void {
  database.run(
    'INSERT INTO letters (company, event, topic, body, made) VALUES (?, ?, ?, ?, ?)',
    ...[organizationId, id, name, body, createdAt.getTime()],
  );
}

export function letterOutbox(database: Database): Outbox {
  return {
    async claim({ limit, perOrganization, claim, at }) {
      const rows = database.transaction(() =>
        database.all<LetterRow>(
          `UPDATE letters SET state = 'sending', holder = ?, held = ?, holds = holds + 1
          WHERE id IN (
            SELECT id FROM (
              SELECT id,
                row_number() OVER (PARTITION BY company ORDER BY id) AS place,
                (SELECT count(*) FROM letters AS others
                 WHERE others.company = letters.company AND others.state = 'sending') AS under_way
              FROM letters WHERE state = 'pending'
            ) WHERE place + under_way <= ? ORDER BY id LIMIT ?
          ) RETURNING *`,
          ...[claim, at.getTime(), perOrganization, limit],
        ),
      );
      return [...rows].sort((one, other) => one.id - other.id).map((row) => toClaimed(row, claim));
    },

    async finish({ deliveryId, claim, state, attempt, at }) {
      return database.transaction(() => {
        const changed = database.run(
          `UPDATE letters SET state = ?, ended = ?, holder = NULL, held = NULL
          WHERE id = ? AND holder = ? AND state = 'sending'`,
          ...[state, at.getTime(), deliveryId, claim],
        );
        if (changed === 1 && attempt !== null) addSending(database, deliveryId, attempt);
        return changed === 1;
      });
    },

    async sweep({ claimedBefore, maxClaims, at }) {
      return database.transaction(() => {
        const before = claimedBefore.getTime();
        const cutOff = database.all<{ readonly id: number; readonly held: number; readonly holds: number }>(
          `SELECT id, held, holds FROM letters WHERE state = 'sending' AND held < ?`,
          before,
        );
        for (const { id, held, holds } of cutOff) {
          addSending(database, id, { ...interrupted, startedAt: new Date(held) });
          const [state, ended] = holds >= maxClaims ? ['failed', at.getTime()] : ['pending', null];
          const text = 'UPDATE letters SET state = ?, ended = ?, holder = NULL, held = NULL WHERE id = ?';
          database.run(text, state, ended, id);
        }
        const failed = cutOff.filter(({ holds }) => holds >= maxClaims).length;
        return { again: cutOff.length - failed, failed };
      });
    },
  };
}

const interrupted = {
  duration: null,
  outcome: 'interrupted',
  phase: null,
  status: null,
  reason: 'cut off before an outcome was known',
} as const;

function toClaimed(row: LetterRow, claim: string): ClaimedDelivery {
  const { id: deliveryId, company: organizationId, event: eventId, topic: eventName, body } = row;
  return { deliveryId, claim, organizationId, eventId, eventName, body };
}

function addSending(database: Database, letter: number, attempt: Attempt): void {
  const { startedAt, duration, outcome, phase, status, reason } = attempt;
  database.run(
    `INSERT INTO sendings (letter, began, took, outcome, phase, status, reason) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ...[letter, startedAt.getTime(), duration, outcome, phase, status, reason],
  );
}

export function letterDeliveries(database: Database): Deliveries {
  const toDelivery = (row: LetterRow): Delivery => ({
    id: row.id,
    organizationId: row.company,
    eventId: row.event,
    eventName: row.topic,
    body: row.body,
    state: row.state,
    createdAt: new Date(row.made),
    finishedAt: momentOrNull(row.ended),
    attempts: database
      .all<SendingRow>('SELECT * FROM sendings WHERE letter = ? ORDER BY id', row.id)
      .map(toAttempt),
  });
  const again = `UPDATE letters SET state = 'pending', ended = NULL, holds = 0`;
  return {
    async find({ organizationId, deliveryId }) {
      const text = 'SELECT * FROM letters WHERE company = ? AND id = ?';
      const row = database.get<LetterRow>(text, organizationId, deliveryId);
      return row === null ? null : toDelivery(row);
    },

    async list({ organizationId, state, since, limit }) {
      const { text, values } = where({ company: organizationId, state, since });
      return database
        .all<LetterRow>(`SELECT * FROM letters ${text} ORDER BY made DESC, id DESC LIMIT ?`, ...values, limit)
        .map(toDelivery);
    },

    async redeliver({ organizationId, deliveryId }, note) {
      return database.transaction(() => {
        const { text, values } = where({ company: organizationId, id: deliveryId });
        const letter = database.get<LetterRow>(`SELECT * FROM letters ${text}`, ...values);
        if (letter === null) return false;
        const isFinal =
          database.run(`${again} ${text} AND state NOT IN ('pending', 'sending')`, ...values) === 1;
        if (isFinal) writeDown(database, note?.({ organizationId: letter.company, eventId: letter.event }));
        return true;
      });
    },

    async redeliverFailed({ organizationId, since }, note) {
      return database.transaction(() => {
        const { text, values } = where({ company: organizationId, state: 'failed', since });
        const counts = database.all<{ readonly organizationId: number; readonly count: number }>(
          `SELECT company AS organizationId, count(*) AS count FROM letters ${text} GROUP BY company`,
          ...values,
        );
        for (const count of counts) writeDown(database, note?.(count));
        return database.run(`${again} ${text}`, ...values);
      });
    },
  };
}

/** What is null or not given is no condition. */
function where(given: {
  readonly company: number | null;
  readonly id?: number;
  readonly state?: DeliveryState | undefined;
  readonly since?: Date | undefined;
}): { readonly text: string; readonly values: readonly Value[] } {
  const conditions: readonly (readonly [string, Value | undefined])[] = [
    ['company = ?', given.company ?? undefined],
    ['id = ?', given.id],
    ['state = ?', given.state],
    ['made >= ?', given.since?.getTime()],
  ];
  const set = conditions.filter((condition): condition is [string, Value] => condition[1] !== undefined);
  const text = ['true', ...set.map(([condition]) => condition)].join(' AND ');
  return { text: `WHERE ${text}`, values: set.map(([, value]) => value) };
}

function toAttempt({ began, took, ...row }: SendingRow): Attempt {
  const { outcome, phase, status, reason } = row;
  return { startedAt: new Date(began), duration: took, outcome, phase, status, reason };
}

import type {
  Attempt,
  AttemptOutcome,
  AttemptPhase,
  BuildAuditEntries,
  ClaimedDelivery,
  Deliveries,
  Delivery,
  DeliverySelection,
  DeliveryState,
  EventName,
  NewEvent,
  Outbox,
  RecordedAttempt,
  RecordedDelivery,
} from '@rollcall/core';
import { interruptedAttempt, maxRecordedAttempts } from '@rollcall/core/adapters';
import { type Database, timestampOrNull, type Value } from './database.js';
import { writeDown } from './diary.js';
import { countOutcome } from './hooks.js';

export interface LetterRow {
  readonly id: number;
  readonly company: number;
  readonly event: string;
  readonly topic: EventName;
  readonly body: string;
  readonly made: number;
  readonly trial: number;
  readonly state: DeliveryState;
  readonly ended: number | null;
  readonly dropped: number;
  readonly about_nobody: number;
}

interface StaleRow extends Pick<LetterRow, 'id' | 'about_nobody'> {
  readonly held: number;
  readonly holds: number;
}

interface SendingRow {
  readonly began: number;
  readonly took: number | null;
  readonly outcome: AttemptOutcome;
  readonly phase: AttemptPhase | null;
  readonly status: number | null;
  readonly reason: string;
  /** JSON of the request and the response. */
  readonly texts: string;
}

/** Call it in the transaction of the event. */
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
                row_number() OVER (PARTITION BY company ORDER BY id) AS position,
                (SELECT count(*) FROM letters AS others
                 WHERE others.company = letters.company AND others.state = 'sending') AS under_way,
                (SELECT sum(holds) FROM letters AS others WHERE others.company = letters.company) AS taken
              FROM letters WHERE state = 'pending'
            ) WHERE position + under_way <= ? ORDER BY taken + position, id LIMIT ?
          ) RETURNING *`,
          ...[claim, at.getTime(), perOrganization, limit],
        ),
      );
      return [...rows].sort((one, other) => one.id - other.id).map((row) => toClaimed(row, claim));
    },

    async startTest({ event, claim, at }, buildEntries) {
      return database.transaction(() => {
        const underWay = `SELECT 1 FROM letters WHERE company = ? AND trial AND state = 'sending'`;
        if (database.get(underWay, event.organizationId) !== null) return null;
        addLetter(database, event);
        const row = database.one<LetterRow>(
          `UPDATE letters SET trial = 1, state = 'sending', holder = ?, held = ?, holds = 1
          WHERE event = ? RETURNING *`,
          ...[claim, at.getTime(), event.id],
        );
        const delivery = toClaimed(row, claim);
        writeDown(database, buildEntries?.(delivery));
        return delivery;
      });
    },

    async renew({ deliveryId, claim, at }) {
      const renewing = `UPDATE letters SET held = ? WHERE id = ? AND holder = ? AND state = 'sending'`;
      return database.run(renewing, at.getTime(), deliveryId, claim) === 1;
    },

    async finish({ deliveryId, claim, state, attempt, at }, buildEntries) {
      return database.transaction(() => {
        const row = database.get<LetterRow>(
          `UPDATE letters SET state = ?, ended = ?, holder = NULL, held = NULL
          WHERE id = ? AND holder = ? AND state = 'sending' RETURNING *`,
          ...[state, at.getTime(), deliveryId, claim],
        );
        if (row === null) return false;
        const noTexts = row.about_nobody === 1 ? { request: null, response: null } : {};
        if (attempt !== null) addSending(database, deliveryId, { ...attempt, ...noTexts });
        const isCounted = state !== 'skipped' && row.trial === 0;
        const organizationId = row.company;
        if (isCounted && countOutcome(database, { organizationId, state, at }))
          writeDown(database, buildEntries?.({ organizationId }));
        return true;
      });
    },

    async recoverStale({ olderThanMs, maxClaims, at }) {
      return database.transaction(() => {
        const before = olderThanMs === null ? Number.MAX_SAFE_INTEGER : at.getTime() - olderThanMs;
        const stale = database.all<StaleRow>(
          `SELECT id, held, holds, about_nobody FROM letters WHERE state = 'sending' AND held < ?`,
          before,
        );
        const counts = { pending: 0, failed: 0, skipped: 0 };
        for (const { id, held, holds, about_nobody } of stale) {
          addSending(database, id, { ...interruptedAttempt, startedAt: new Date(held) });
          const ended = about_nobody === 1 ? 'skipped' : holds >= maxClaims ? 'failed' : 'pending';
          database.run(
            'UPDATE letters SET state = ?, ended = ?, dropped = about_nobody, holder = NULL, held = NULL WHERE id = ?',
            ...[ended, ended === 'pending' ? null : at.getTime(), id],
          );
          counts[ended] += 1;
        }
        return { again: counts.pending, failed: counts.failed };
      });
    },

    async hold() {
      return database.run(
        `UPDATE letters SET state = 'held', ended = NULL, holder = NULL, held = NULL
        WHERE state = 'pending' OR (state = 'sending' AND NOT about_nobody)`,
      );
    },
  };
}

function toClaimed(row: LetterRow, claim: string): ClaimedDelivery {
  const { id: deliveryId, company: organizationId, event: eventId, topic: eventName, body, trial } = row;
  return { deliveryId, claim, organizationId, eventId, eventName, body, isTest: trial === 1 };
}

function addSending(database: Database, letter: number, attempt: RecordedAttempt): void {
  const { startedAt, duration, outcome, phase, status, reason, ...texts } = attempt;
  database.run(
    `INSERT INTO sendings (letter, began, took, outcome, phase, status, reason, texts)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[letter, startedAt.getTime(), duration, outcome, phase, status, reason, JSON.stringify(texts)],
  );
  database.run(
    `UPDATE sendings SET texts = '{"request":null,"response":null}'
    WHERE letter = ? AND id NOT IN (SELECT id FROM sendings WHERE letter = ? ORDER BY id DESC LIMIT ?)`,
    ...[letter, letter, maxRecordedAttempts],
  );
}

export function letterDeliveries(database: Database): Deliveries {
  const toDelivery = (row: LetterRow): RecordedDelivery => letterOf(database, row);
  const withoutTexts = (delivery: RecordedDelivery): Delivery => ({
    ...delivery,
    attempts: delivery.attempts.map(({ request, response, ...attempt }): Attempt => attempt),
  });
  const again = `UPDATE letters SET state = 'pending', ended = NULL, holds = 0, dropped = 0`;
  const changeAll = (
    selection: DeliverySelection,
    change: readonly [text: string, ...values: readonly Value[]],
    buildEntries: BuildAuditEntries<{ readonly organizationId: number; readonly count: number }> | undefined,
  ): number =>
    database.transaction(() => {
      const { text, values } = matching(selection);
      const [changing, ...changed] = change;
      const counts = database.all<{ readonly organizationId: number; readonly count: number }>(
        `SELECT company AS organizationId, count(*) AS count FROM letters ${text} GROUP BY company`,
        ...values,
      );
      for (const count of counts) writeDown(database, buildEntries?.(count));
      return database.run(`${changing} ${text}`, ...changed, ...values);
    });
  return {
    async find({ organizationId, deliveryId, onlyLastAttempt = false }) {
      const { text, values } = where({ company: organizationId, id: deliveryId });
      const row = database.get<LetterRow>(`SELECT * FROM letters ${text}`, ...values);
      if (row === null) return null;
      const { attempts, ...delivery } = toDelivery(row);
      return {
        ...delivery,
        attemptCount: attempts.length,
        attempts: attempts.slice(onlyLastAttempt ? -1 : -maxRecordedAttempts),
      };
    },

    async list({ organizationId, limit, ...query }) {
      const { text, values } = where({ company: organizationId, ...query });
      return database
        .all<LetterRow>(`SELECT * FROM letters ${text} ORDER BY made DESC, id DESC LIMIT ?`, ...values, limit)
        .map(toDelivery)
        .map(withoutTexts);
    },

    async redeliver(key, buildEntries) {
      return database.transaction(() => {
        const { text, values } = where({ company: key.organizationId, id: key.deliveryId });
        const letter = database.get<LetterRow>(`SELECT * FROM letters ${text}`, ...values);
        if (letter === null) return false;
        if (letter.about_nobody === 1) return 'erased';
        const isChanged =
          database.run(`${again} ${text} AND state NOT IN ('pending', 'sending')`, ...values) === 1;
        const { company: organizationId, event: eventId } = letter;
        writeDown(database, buildEntries?.({ organizationId, eventId, isChanged }));
        return true;
      });
    },

    async count(selection) {
      const { text, values } = matching(selection);
      return database.one<{ readonly found: number }>(
        `SELECT count(*) AS found FROM letters ${text}`,
        ...values,
      ).found;
    },

    async redeliverMatching(selection, buildEntries) {
      return changeAll(selection, [again], buildEntries);
    },

    async dropHeld({ at, ...request }, buildEntries) {
      const dropping = `UPDATE letters SET state = 'skipped', ended = ?, dropped = 1`;
      return changeAll({ ...request, states: ['held'] }, [dropping, at.getTime()], buildEntries);
    },
  };
}

export function letterOf(database: Database, row: LetterRow): RecordedDelivery {
  return {
    id: row.id,
    organizationId: row.company,
    eventId: row.event,
    eventName: row.topic,
    body: row.body,
    isTest: row.trial === 1,
    state: row.state,
    createdAt: new Date(row.made),
    finishedAt: timestampOrNull(row.ended),
    isDropped: row.dropped === 1,
    attempts: database
      .all<SendingRow>('SELECT * FROM sendings WHERE letter = ? ORDER BY id', row.id)
      .map(toAttempt),
  };
}

/** Like `where`, with conditions on the last sending as well. */
function matching({ organizationId, states, since, until, phase, status, reason }: DeliverySelection): {
  readonly text: string;
  readonly values: readonly Value[];
} {
  const { text, values } = where({ company: organizationId, since, until, isTest: false });
  const part = reason === undefined ? undefined : `%${reason.replace(/[\\%_]/g, '\\$&')}%`;
  const like = (column: string): string => `${column} LIKE ? ESCAPE '\\'`;
  const conditions: readonly (readonly [string, ...(readonly (Value | undefined)[])])[] = [
    ['phase = ?', phase],
    ['status = ?', status],
    [`(${like('outcome')} OR ${like('reason')})`, part, part],
  ];
  const set = conditions.filter((condition) => !condition.includes(undefined));
  const inStates = `state IN (${states.map((state) => `'${state}'`).join()})`;
  const last =
    set.length === 0
      ? 'true'
      : `EXISTS (
          SELECT 1 FROM sendings WHERE letter = letters.id AND ${set.map(([one]) => one).join(' AND ')}
          AND id = (SELECT max(id) FROM sendings AS others WHERE others.letter = letters.id)
        )`;
  return {
    text: `${text} AND ${inStates} AND NOT about_nobody AND ${last}`,
    values: [...values, ...set.flatMap(([, ...own]) => own as Value[])],
  };
}

type ListQuery = Omit<Parameters<Deliveries['list']>[0], 'organizationId' | 'limit'>;

/** Null and undefined mean no condition. */
function where(given: ListQuery & { readonly company: number | null; readonly id?: number }): {
  readonly text: string;
  readonly values: readonly Value[];
} {
  const { company, id, state, since, until, eventId, isTest, olderThan } = given;
  const conditions: readonly (readonly [string, ...(readonly (Value | undefined)[])])[] = [
    ['company = ?', company ?? undefined],
    ['id = ?', id],
    ['state = ?', state],
    ['made >= ?', since?.getTime()],
    ['made < ?', until?.getTime()],
    ['event = ?', eventId],
    ['trial = ?', isTest === undefined ? undefined : Number(isTest)],
    ['(made, id) < (?, ?)', olderThan?.createdAt.getTime(), olderThan?.id],
  ];
  const set = conditions.filter((condition) => !condition.includes(undefined));
  const text = ['true', ...set.map(([condition]) => condition)].join(' AND ');
  return { text: `WHERE ${text}`, values: set.flatMap(([, ...values]) => values as Value[]) };
}

function toAttempt({ began, took, ...row }: SendingRow): RecordedAttempt {
  const { outcome, phase, status, reason } = row;
  const texts: Pick<RecordedAttempt, 'request' | 'response'> = JSON.parse(row.texts);
  return { startedAt: new Date(began), duration: took, outcome, phase, status, reason, ...texts };
}

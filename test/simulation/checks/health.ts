import type { Evidence } from '../checker.js';
import { type History, ofKind } from '../history.js';
import { mayHaveHappened } from './may.js';

/** The failures in a row are counted as the deliveries ended, and each notice is given once. */
export function checkHealth({ history, finals }: Evidence): readonly string[] {
  const broken: string[] = [];
  for (const { org, health } of finals) {
    const outcomes = finishedOf(history, org);
    const lastSuccess = outcomes.findLastIndex(({ finishedAs }) => finishedAs === 'delivered');
    const inRow = outcomes.length - 1 - lastSuccess;
    const hasWebhook = ofKind(history, 'configure').some((op) => op.org === org && mayHaveHappened(op));
    const expected = hasWebhook ? inRow : 0;
    if (health.failuresInRow !== expected)
      broken.push(`organization ${org} has ${expected} failures in a row, not ${health.failuresInRow}`);
    const notices = history.notices.filter((notice) => notice.org === org);
    for (const [index, notice] of notices.entries()) {
      const again = notices
        .slice(index + 1)
        .find(({ failuresInRow }) => failuresInRow === notice.failuresInRow);
      if (again === undefined) continue;
      const isNewSeries = outcomes.some(
        ({ finished, finishedAs }) => finishedAs === 'delivered' && finished <= again.tick,
      );
      if (!isNewSeries)
        broken.push(`organization ${org} had two notices of ${notice.failuresInRow} failures`);
    }
  }
  return broken;
}

interface Finished {
  readonly finished: number;
  readonly finishedAs: string;
}

/** The outcomes of events, tests left out, in the order in which they were recorded. */
function finishedOf(history: History, org: number): readonly Finished[] {
  const tests = new Set(
    history.sends
      .filter(({ headers }) => headers['X-Service-Test'] !== undefined)
      .map(({ eventId }) => eventId),
  );
  return history.claims
    .flatMap(({ organizationId, eventId, finished, finishedAs }) =>
      organizationId === org &&
      !tests.has(eventId) &&
      finished !== null &&
      finishedAs !== null &&
      finishedAs !== 'skipped'
        ? [{ finished, finishedAs }]
        : [],
    )
    .sort((one, other) => one.finished - other.finished);
}

import type { Evidence } from '../checker.js';
import { type History, ofKind } from '../history.js';
import { count, mayHaveHappened } from './may.js';

/** The failures in a row are counted as the deliveries ended, and each notice is given once. */
export function checkHealth({ history, finals }: Evidence): readonly string[] {
  const broken: string[] = [];
  for (const { org, health } of finals) {
    const outcomes = finishedOf(history, org);
    const successes = outcomes.filter(({ finishedAs }) => finishedAs === 'delivered');
    const failures = outcomes.filter(({ finishedAs }) => finishedAs === 'failed');
    const hasWebhook = ofKind(history, 'configure').some((op) => op.org === org && mayHaveHappened(op));
    // What ended at about the same time can have been counted in either order.
    const least = count(failures, ({ from }) => successes.every((success) => success.finished < from));
    const most = count(failures, ({ finished }) => !successes.some((success) => success.from > finished));
    const expected = hasWebhook ? [least, most] : [0, 0];
    if (health.failuresInRow < (expected[0] ?? 0) || health.failuresInRow > (expected[1] ?? 0))
      broken.push(
        `organization ${org} has ${expected.join(' to ')} failures in a row, not ${health.failuresInRow}`,
      );
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
  /** At the earliest, and at the latest. */
  readonly from: number;
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
    .flatMap(({ organizationId, eventId, finished, finishedFrom, finishedAs }) =>
      organizationId === org &&
      !tests.has(eventId) &&
      finished !== null &&
      finishedAs !== null &&
      finishedAs !== 'skipped'
        ? [{ from: finishedFrom ?? finished, finished, finishedAs }]
        : [],
    )
    .sort((one, other) => one.finished - other.finished);
}

import type { Evidence } from '../checker.js';
import { ofKind } from '../history.js';

/**
 * Once somebody is erased, nothing that is stored names them, and nothing that tells of them is sent, unless they came or
 * were invited again.
 */
export function checkErasures({ history, storedText }: Evidence): readonly string[] {
  const broken: string[] = [];
  for (const erasure of ofKind(history, 'erase')) {
    if (erasure.outcome !== 'ok') continue;
    const { email } = erasure;
    const isBack = history.ops.some(
      (op) => (op.did === 'invite' || op.did === 'join') && op.email === email && op.end > erasure.start,
    );
    const sent = history.sends.some(({ eventId, process, start, body }) => {
      const claim = history.claims.findLast(
        (one) => one.eventId === eventId && one.process === process && one.given <= start,
      );
      return claim !== undefined && claim.given > erasure.end && body.includes(email);
    });
    if (!isBack && sent) broken.push(`an event about ${email} was sent after they had been erased`);
    if (!isBack && storedText.includes(email)) {
      const at = storedText.indexOf(email);
      broken.push(`${email} was erased, but is still stored: ${storedText.slice(at - 150, at + 60)}`);
    }
  }
  return broken;
}

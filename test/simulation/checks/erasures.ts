import type { Evidence } from '../checker.js';
import { ofKind } from '../history.js';
import { claimOf } from './claim-of.js';

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
    const sent = history.sends.some((send) => {
      const claim = claimOf(history, send);
      return claim !== undefined && claim.given > erasure.end && send.body.includes(email);
    });
    if (!isBack && sent) broken.push(`an event about ${email} was sent after they had been erased`);
    if (!isBack && storedText.includes(email)) {
      const at = storedText.indexOf(email);
      broken.push(`${email} was erased, but is still stored: ${storedText.slice(at - 150, at + 60)}`);
    }
  }
  return broken;
}

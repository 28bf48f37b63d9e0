import type { Evidence } from '../checker.js';
import { ofKind } from '../history.js';

/** Once somebody is erased, nothing that is stored names them, unless they came or were invited again. */
export function checkErasures({ history, storedText }: Evidence): readonly string[] {
  const broken: string[] = [];
  for (const erasure of ofKind(history, 'erase')) {
    if (erasure.outcome !== 'ok') continue;
    const { email } = erasure;
    const isBack = history.ops.some(
      (op) => (op.did === 'invite' || op.did === 'join') && op.email === email && op.end > erasure.start,
    );
    if (!isBack && storedText.includes(email)) {
      const at = storedText.indexOf(email);
      broken.push(`${email} was erased, but is still stored: ${storedText.slice(at - 150, at + 60)}`);
    }
  }
  return broken;
}

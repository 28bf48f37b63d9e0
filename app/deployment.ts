import type { Logger } from '@rollcall/node';
import type { Deployment } from '@rollcall/sql/maintenance';
import type { Part } from './part.js';

/**
 * Checks at the start whether the database was restored or copied. If so, its waiting deliveries are held, because the
 * original may have sent them.
 */
export function createDeployment({
  adopt,
  log,
}: {
  readonly adopt: () => Promise<Deployment>;
  readonly log: Logger;
}): Part & Pick<Deployment, 'recordClaims'> {
  let deployment: Deployment | null = null;
  return {
    async start() {
      deployment = await adopt();
      report(deployment, log);
    },
    async recordClaims() {
      await deployment?.recordClaims();
    },
    async stop() {
      deployment?.close();
    },
  };
}

function report({ isCopy, held, movedFrom }: Deployment, log: Logger): void {
  if (movedFrom !== null) log.info({ movedFrom }, 'This database was moved here: what waited in it is sent');
  if (!isCopy) return;
  const waiting =
    held === 0
      ? 'nothing waited in it'
      : 'what waited in it is held, as it may have been sent before. Send or drop it: rollcall deliveries release';
  log.warn({ held }, `This database was restored or copied: ${waiting}`);
}

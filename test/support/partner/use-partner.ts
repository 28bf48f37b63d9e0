import { after, before } from 'node:test';
import { type InstalledPartner, installPartner } from './installed-partner.js';

let installed: Promise<InstalledPartner> | null = null;

/** Installs the sample partner before the first tests of this process, and removes it after the last ones. */
export function usePartner(): () => InstalledPartner {
  let partner: InstalledPartner;
  before(async () => {
    installed ??= installPartner();
    partner = await installed;
  });
  after(() => partner.remove());
  return () => partner;
}

import { after, before } from 'node:test';
import { type InstalledPartner, installPartner } from './installed-partner.js';

/** Installs the sample partner before all tests of the calling file, and removes it after them. */
export function usePartner(): () => InstalledPartner {
  let installed: InstalledPartner;
  before(async () => {
    installed = await installPartner();
  });
  after(() => installed.remove());
  return () => installed;
}

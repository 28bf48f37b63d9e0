import assert from 'node:assert/strict';
import { anOrganization } from '@rollcall/core/testing';
import { expiringSignOns } from '#adapters/sql/index.js';
import { aSignOn } from '#core/testing/new-sign-on.js';
import { eachEngine } from '../../support/each-engine.js';

eachEngine(
  'secrets that expire by a day are counted where sign-on is on',
  { organizations: [1, 2, 3, 4].map((id) => anOrganization(id)) },
  async ({ database, storage }) => {
    assert.equal(await expiringSignOns(database, '2026-12-31'), 0);
    const secrets = ['2026-12-31', '2027-01-01', null] as const;
    for (const [index, secretExpiresOn] of secrets.entries())
      await storage.signOns.save(index + 1, () => aSignOn({ secretExpiresOn }));
    await storage.signOns.save(4, () => aSignOn({ secretExpiresOn: '2026-01-01', isOn: false }));
    assert.equal(await expiringSignOns(database, '2026-12-31'), 1);
    assert.equal(await expiringSignOns(database, '2027-01-01'), 2);
  },
);

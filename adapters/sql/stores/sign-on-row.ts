import type { Identity, SignOn } from '@rollcall/core';
import { oneOf, stored, storedIn } from '../engine/stored.js';

export const signOnFields = storedIn('sign_on', {
  ...{ organizationId: 'whole', issuer: 'text', clientId: 'text', sealedSecret: 'text', idClaim: 'text' },
  ...{ hostedDomain: 'textOrNull', admits: oneOf<SignOn['admits']>(), acr: 'textOrNull', isOn: 'flag' },
  ...{ isRequired: 'flag', secretExpiresOn: 'textOrNull', testedAt: 'timeOrNull', testedBy: 'wholeOrNull' },
  changedAt: 'time',
});

export const storedSignOn = stored<SignOn>(signOnFields.columns, (row) => {
  const { sealedSecret: encryptedSecret, testedAt: at, testedBy: by, ...signOn } = signOnFields.read(row);
  return { ...signOn, encryptedSecret, tested: at === null ? null : { by, at } };
});

export const storedIdentity = storedIn('identities', {
  ...{ organizationId: 'whole', issuer: 'text', subject: 'text', userId: 'whole', linkedAt: 'time' },
  usedAt: 'time',
}) satisfies { read(row: never): Identity };

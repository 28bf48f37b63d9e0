import { anOrganization, aUser } from '../dataset.js';
import type { ContractTest } from '../expect.js';
import { type StartStorage, storageTests } from '../start-storage.js';
import { changesTests } from './meetings/changes.js';
import { detailsTests } from './meetings/details.js';
import { exportChunksTests } from './meetings/export-chunks.js';
import { exportFormsTests } from './meetings/export-forms.js';
import { exportPagesTests } from './meetings/export-pages.js';
import { exportRowsTests } from './meetings/export-rows.js';
import { listsTests } from './meetings/lists.js';
import { placesTests } from './meetings/places.js';
import { summaryTests } from './meetings/summaries.js';

/** The promises of `Meetings`. */
export function meetingsSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'Meetings', (storage) =>
    storage.load({
      organizations: [anOrganization(1, { eap: true }), anOrganization(2), anOrganization(3, { eap: true })],
      users: [aUser(1), aUser(2), aUser(3)],
    }),
  );
  return [
    ...placesTests(test),
    ...detailsTests(test),
    ...listsTests(test),
    ...exportRowsTests(test),
    ...exportPagesTests(test),
    ...exportChunksTests(test),
    ...exportFormsTests(test),
    ...summaryTests(test),
    ...changesTests(test),
  ];
}

// Writes the completed meetings of an organization as CSV to standard output:
// node export-script.mjs <database> <organization id>
import { once } from 'node:events';
import { exportMeetings } from '@rollcall/core';
import { systemClock } from '@rollcall/node';
import { openDatabase, sqlPorts } from '@rollcall/sql';

const database = await openDatabase(process.argv[2], { serves: false });
try {
  const deps = { ...sqlPorts(database), clock: systemClock, settings: { reportingTimeZone: 'UTC' } };
  const organization = await deps.organizations.byId(Number(process.argv[3]));
  if (organization === null) throw new Error(`There is no organization ${process.argv[3]}.`);
  const exported = await exportMeetings(deps, { organization, columns: ['name', 'start_time'], form: 'csv' });
  for await (const chunk of exported.chunks)
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
} finally {
  await database.close();
}

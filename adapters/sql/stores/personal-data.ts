import type { PersonalData } from '@rollcall/core';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { Changed, erasePerson } from '../personal-data/erase.js';
import { findPerson } from '../personal-data/find-person.js';
import { readRecord } from '../personal-data/read.js';
import { findTraces } from '../personal-data/traces.js';

const MAX_ATTEMPTS = 5;

/** Searches beside other requests; only what was written since is searched again in the transaction. */
export function sqlPersonalData({ engine, readAside, write }: StorageDatabase): PersonalData {
  const read = readAside(0);
  return {
    async read(key) {
      const person = await findPerson(read, key);
      if (person === null) return null;
      return readRecord(read, person, await findTraces({ engine, read }, person));
    },

    async erase(request, journal) {
      for (let attempt = 1; ; attempt += 1) {
        const person = await findPerson(read, request.person);
        if (person === null) return 'unknown';
        const traces = await findTraces({ engine, read }, person);
        try {
          return await erasePerson({ write }, { person, traces }, request, journal);
        } catch (error) {
          if (!(error instanceof Changed) || attempt === MAX_ATTEMPTS) throw error;
        }
      }
    },
  };
}

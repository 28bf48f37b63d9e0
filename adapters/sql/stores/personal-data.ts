import type { PersonalData } from '@rollcall/core';
import type { Database } from '../engine/database.js';
import { Changed, erasePerson } from '../personal-data/erase.js';
import { readRecord } from '../personal-data/read.js';
import { findPerson, findTraces } from '../personal-data/traces.js';

const MAX_ATTEMPTS = 5;

/** Searches beside other requests; only what was written since is searched again in the transaction. */
export function sqlPersonalData({ engine, readAside, write }: Database): PersonalData {
  const read = readAside(0);
  return {
    async read(key) {
      const person = await findPerson({ engine, read }, key);
      if (person === null) return null;
      return readRecord(read, { person, traces: await findTraces({ engine, read }, person) });
    },

    async erase(request, buildEntries) {
      for (let attempt = 1; ; attempt += 1) {
        const person = await findPerson({ engine, read }, request.person);
        if (person === null) return 'unknown';
        const traces = await findTraces({ engine, read }, person);
        try {
          return await erasePerson({ engine, write }, { person, traces, request }, buildEntries);
        } catch (error) {
          if (!(error instanceof Changed) || attempt === MAX_ATTEMPTS) throw error;
        }
      }
    },
  };
}

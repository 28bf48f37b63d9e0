import { maxApiCalls } from '../../access/api-calls.js';
import type { ApiCalls } from '../../access/ports/api-calls.js';
import type { State } from './state.js';

export function memoryApiCalls({ apiCalls, organizations }: State): ApiCalls {
  return {
    async add(calls) {
      for (const call of calls) {
        const { organizationId } = call;
        if (!organizations.has(organizationId)) continue;
        const all = [...(apiCalls.get(organizationId) ?? []), call];
        // Stable, so that of the same time the last added is the last.
        all.sort((one, other) => one.at.getTime() - other.at.getTime());
        apiCalls.set(organizationId, all.slice(-maxApiCalls));
      }
    },
    async latest(organizationId) {
      return [...(apiCalls.get(organizationId) ?? [])].reverse();
    },
  };
}

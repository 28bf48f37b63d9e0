import type { Organization, Organizations } from '../../access/ports.js';
import { addEntries } from './audit-trail.js';
import { nextId, type State } from './state.js';

export function memoryOrganizations(state: State): Organizations {
  return {
    async byId(organizationId) {
      const organization = state.organizations.get(organizationId);
      return organization === undefined ? null : toOrganization(organization);
    },
    async byAccessKeyHash(hashes) {
      const found = [...state.organizations.values()].find(
        ({ accessKeyHash }) => accessKeyHash !== null && hashes.includes(accessKeyHash),
      );
      if (found === undefined) return null;
      const { accessKeyUsedAt, accessKeyHash } = found;
      return { ...toOrganization(found), accessKeyUsedAt, accessKeyHash: accessKeyHash ?? '' };
    },
    async moveAccessKeyHash({ organizationId, from, to }) {
      const organization = state.organizations.get(organizationId);
      if (organization?.accessKeyHash !== from) return false;
      state.organizations.set(organizationId, { ...organization, accessKeyHash: to });
      return true;
    },
    async replaceAccessKey({ organizationId, hash, at, replaces }, buildEntries) {
      const organization = state.organizations.get(organizationId);
      if (organization === undefined) return null;
      if (replaces !== undefined && replaces !== organization.accessKeyGeneration) return null;
      const seconds = Math.floor(at.getTime() / 1000);
      const accessKeyGeneration = Math.max(organization.accessKeyGeneration + 1, seconds);
      const key = { accessKeyHash: hash, accessKeyCreatedAt: at, accessKeyUsedAt: null, accessKeyGeneration };
      const replaced = { ...organization, ...key };
      const isFirst = organization.accessKeyHash === null;
      const entries = buildEntries?.({ organization: toOrganization(replaced), isFirst });
      state.organizations.set(organizationId, replaced);
      addEntries(state, entries);
      return toOrganization(replaced);
    },
    async accessKey(organizationId) {
      const { accessKeyCreatedAt: createdAt = null, accessKeyUsedAt: usedAt = null } =
        state.organizations.get(organizationId) ?? {};
      return createdAt === null ? null : { createdAt, usedAt };
    },
    async touchAccessKey({ organizationId, generation, at }) {
      const organization = state.organizations.get(organizationId);
      if (organization?.accessKeyGeneration !== generation) return;
      const { accessKeyUsedAt } = organization;
      if (accessKeyUsedAt !== null && accessKeyUsedAt >= at) return;
      state.organizations.set(organizationId, { ...organization, accessKeyUsedAt: at });
    },
    async setTimeZone({ organizationId, timeZone }, buildEntries) {
      const organization = state.organizations.get(organizationId);
      if (organization === undefined) return null;
      const changed = { ...organization, timeZone };
      const entries = buildEntries?.(toOrganization(changed));
      state.organizations.set(organizationId, changed);
      addEntries(state, entries);
      return toOrganization(changed);
    },
    async create({ name, eap }) {
      const id = nextId(state);
      const organization = { id, name, eap, timeZone: null, accessKeyGeneration: 0, ...noAccessKey };
      state.organizations.set(id, organization);
      return toOrganization(organization);
    },
    async list() {
      return [...state.organizations.values()].map(toOrganization).sort((one, other) => one.id - other.id);
    },
  };
}

export function toOrganization({ id, name, eap, timeZone, accessKeyGeneration }: Organization): Organization {
  return { id, name, eap, timeZone, accessKeyGeneration };
}

export const noAccessKey = { accessKeyHash: null, accessKeyCreatedAt: null, accessKeyUsedAt: null };

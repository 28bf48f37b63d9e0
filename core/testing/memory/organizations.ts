import type { Organization, Organizations } from '../../access/ports/organizations.js';
import { writeJournal } from './journal.js';
import { nextId, type State, type StoredOrganization } from './state.js';

export function memoryOrganizations(state: State): Organizations {
  return {
    async byId(organizationId) {
      const organization = state.organizations.get(organizationId);
      return organization === undefined ? null : toOrganization(organization);
    },
    async byAccessKeyHash(hashes) {
      for (const found of state.organizations.values()) {
        const { accessKeyHash, accessKeyUsedAt, accessKeyGeneration } = found;
        if (accessKeyHash !== null && hashes.includes(accessKeyHash)) {
          const keyGeneration = accessKeyGeneration;
          return { ...toOrganization(found), keyGeneration, accessKeyUsedAt, accessKeyHash };
        }
      }
      for (const found of state.organizations.values()) {
        const { previousAccessKey: previous, previousHash, previousUsedAt } = found;
        if (previous !== null && previousHash !== null && hashes.includes(previousHash)) {
          return {
            ...toOrganization(found),
            keyGeneration: previous.generation,
            accessKeyUsedAt: previousUsedAt,
            accessKeyHash: previousHash,
          };
        }
      }
      return null;
    },
    async moveAccessKeyHash({ organizationId, from, to }) {
      const organization = state.organizations.get(organizationId);
      if (organization === undefined) return false;
      const { accessKeyHash, previousHash } = organization;
      if (accessKeyHash !== from && previousHash !== from) return false;
      const moved = (hash: string | null): string | null => (hash === from ? to : hash);
      state.organizations.set(organizationId, {
        ...organization,
        accessKeyHash: moved(accessKeyHash),
        previousHash: moved(previousHash),
      });
      return true;
    },
    async replaceAccessKey(change, journal) {
      const { organizationId, hash, lastDigits = null, at, replaces, keepOldUntil } = change;
      const organization = state.organizations.get(organizationId);
      if (organization === undefined) return null;
      if (replaces !== undefined && replaces !== organization.accessKeyGeneration) return null;
      const seconds = Math.floor(at.getTime() / 1000);
      const accessKeyGeneration = Math.max(organization.accessKeyGeneration + 1, seconds);
      const key = { accessKeyHash: hash, accessKeyCreatedAt: at, accessKeyUsedAt: null, accessKeyGeneration };
      const accessKeyLabel = { lastDigits, name: organization.accessKeyLabel.name };
      const previous = previousOf(organization, keepOldUntil);
      const replaced = { ...organization, ...key, accessKeyLabel, ...previous };
      const isFirst = organization.accessKeyHash === null;
      writeJournal(state, journal?.({ organization: toOrganization(replaced), isFirst }), () =>
        state.organizations.set(organizationId, replaced),
      );
      return toOrganization(replaced);
    },
    async nameAccessKey({ organizationId, generation, name }, journal) {
      const organization = state.organizations.get(organizationId);
      if (organization?.accessKeyHash == null || organization.accessKeyGeneration !== generation)
        return false;
      const { name: before } = organization.accessKeyLabel;
      const accessKeyLabel = { ...organization.accessKeyLabel, name };
      if (before !== name)
        writeJournal(state, journal?.({ before }), () =>
          state.organizations.set(organizationId, { ...organization, accessKeyLabel }),
        );
      return true;
    },
    async accessKey(organizationId) {
      const organization = state.organizations.get(organizationId);
      if (organization === undefined || organization.accessKeyCreatedAt === null) return null;
      const { accessKeyCreatedAt: createdAt, accessKeyUsedAt: usedAt } = organization;
      const { accessKeyLabel, previousAccessKey, previousUsedAt, previousLabel } = organization;
      const previous =
        previousAccessKey === null
          ? null
          : { until: previousAccessKey.until, usedAt: previousUsedAt, ...previousLabel };
      return { createdAt, usedAt, ...accessKeyLabel, previous };
    },
    async touchAccessKey({ organizationId, generation, at }) {
      const organization = state.organizations.get(organizationId);
      if (organization === undefined) return;
      const { accessKeyGeneration, accessKeyUsedAt, previousAccessKey, previousUsedAt } = organization;
      const later = (usedAt: Date | null): Date => (usedAt !== null && usedAt >= at ? usedAt : at);
      if (generation === accessKeyGeneration) {
        state.organizations.set(organizationId, { ...organization, accessKeyUsedAt: later(accessKeyUsedAt) });
      } else if (generation === previousAccessKey?.generation) {
        state.organizations.set(organizationId, { ...organization, previousUsedAt: later(previousUsedAt) });
      }
    },
    async setTimeZone({ organizationId, timeZone, replaces }, journal) {
      const stored = state.organizations.get(organizationId);
      if (stored === undefined) return null;
      if (replaces !== undefined && ![replaces, timeZone].includes(stored.timeZone)) return 'outdated';
      const [before, organization] = [toOrganization(stored), toOrganization({ ...stored, timeZone })];
      writeJournal(state, journal?.({ organization, before }), () =>
        state.organizations.set(organizationId, { ...stored, timeZone }),
      );
      return organization;
    },
    async rename({ organizationId, name, replaces }, journal) {
      const stored = state.organizations.get(organizationId);
      if (stored === undefined) return null;
      if (replaces !== undefined && ![replaces, name].includes(stored.name)) return 'outdated';
      const [before, organization] = [toOrganization(stored), toOrganization({ ...stored, name })];
      writeJournal(state, journal?.({ organization, before }), () =>
        state.organizations.set(organizationId, { ...stored, name }),
      );
      return organization;
    },
    async create({ name, eap }, journal) {
      const id = nextId(state);
      const organization = { id, name, eap, timeZone: null, ...noAccessKey };
      writeJournal(state, journal?.(toOrganization(organization)), () =>
        state.organizations.set(id, organization),
      );
      return toOrganization(organization);
    },
    async list() {
      return [...state.organizations.values()].map(toOrganization).sort((one, other) => one.id - other.id);
    },
  };
}

/** The replaced key as the previous one, if it is kept. */
function previousOf(
  { accessKeyHash, accessKeyGeneration, accessKeyUsedAt, accessKeyLabel }: StoredOrganization,
  until: Date | undefined,
): Pick<StoredOrganization, keyof typeof noPreviousKey> {
  if (until === undefined || accessKeyHash === null) return noPreviousKey;
  const previousAccessKey = { generation: accessKeyGeneration, until };
  const [previousHash, previousUsedAt, previousLabel] = [accessKeyHash, accessKeyUsedAt, accessKeyLabel];
  return { previousAccessKey, previousHash, previousUsedAt, previousLabel };
}

export function toOrganization(organization: Organization): Organization {
  const { id, name, eap, timeZone, accessKeyGeneration, previousAccessKey } = organization;
  return { id, name, eap, timeZone, accessKeyGeneration, previousAccessKey };
}

const noLabel = { lastDigits: null, name: null };

const noPreviousKey = {
  ...{ previousAccessKey: null, previousHash: null, previousUsedAt: null },
  previousLabel: noLabel,
};

export const noAccessKey = {
  accessKeyGeneration: 0,
  accessKeyHash: null,
  accessKeyCreatedAt: null,
  accessKeyUsedAt: null,
  accessKeyLabel: noLabel,
  ...noPreviousKey,
};

/**
 * The first four bytes of this service's advisory locks: "Rol", which nothing else in the database should use, and a letter
 * for what is locked. The second four bytes are 0, a hash, or the organization.
 */
export const advisoryLocks = {
  migration: 0x526f6c6c,
  claim: 0x526f6c6d,
  meetings: 0x526f6c6e,
  address: 0x526f6c61,
  idpId: 0x526f6c69,
  directory: 0x526f6c64,
} as const;

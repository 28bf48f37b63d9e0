/** People and figures that every sample has. */
export const sampleFacts = {
  members: 200,
  meetings: 2000,
  organization: { id: 1, name: 'Northwind Wellness', accessKey: '111111111111111111111111' },
  owner: { id: 1, email: 'owner@northwind.test', firstName: 'Mara', lastName: 'Lindqvist' },
  admin: { id: 2, email: 'admin@northwind.test', firstName: 'Tomás', lastName: 'Álvarez' },
  /** Has many meetings, and waitlist entries in every state. */
  member: { id: 3, email: 'member@northwind.test', firstName: 'Dana', lastName: 'Kim', idpId: 'idp-0' },
} as const;

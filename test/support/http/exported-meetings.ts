import assert from 'node:assert/strict';
import { exportColumns } from '@rollcall/core/rules';
import { aMeeting, aUser, type DatasetMeeting } from '@rollcall/core/testing';
import type { Json, Reply } from './reply.js';
import type { HttpService, TestOrganization } from './service.js';

/** The keys of all columns. */
export const columns = exportColumns.map(({ key }) => key);
const at = (text: string): Date => new Date(text);

/** A meeting of one hour, named after its start. It is complete unless another status is given. */
export function pastMeeting(start: string, given: Partial<DatasetMeeting> = {}): Partial<DatasetMeeting> {
  const startTime = at(`${start}Z`);
  return {
    name: start,
    startTime,
    endTime: new Date(startTime.getTime() + 3_600_000),
    status: 'complete',
    ...given,
  };
}

export type Parameters = Readonly<Record<string, unknown>>;

/** Helpers for the tests of the export. */
export function exportOf(service: () => HttpService) {
  const holding = (
    meetings: readonly Partial<DatasetMeeting>[],
    { eap = false }: { readonly eap?: boolean } = {},
  ): Promise<TestOrganization> =>
    service().organization({ eap }, (id) => ({
      users: [aUser(id)],
      meetings: meetings.map((given, index) =>
        aMeeting(id * 1000 + index, {
          organizationId: id,
          ...given,
          groupLeaderId: given.groupLeaderId === 0 ? id : null,
          eapOrganizationIds: given.eapOrganizationIds?.map((tied) => (tied === 0 ? id : tied)) ?? [],
        }),
      ),
    }));

  /** Sends the request by GET and by POST, which must get the same bytes. */
  const exported = async ({ get, post }: TestOrganization, parameters: Parameters): Promise<Reply> => {
    const byGet = await get(`/export_meetings?${queryOf(parameters)}`);
    const byPost = await post('/export_meetings', parameters);
    assert.deepEqual([byPost.status, byPost.text], [byGet.status, byGet.text]);
    return byGet;
  };
  const names = async (
    organization: TestOrganization,
    parameters: Parameters,
  ): Promise<readonly string[]> => {
    const { status, json } = await exported(organization, { column: ['name'], ...parameters });
    assert.equal(status, 200, JSON.stringify(json));
    return json.meetings.map((meeting: Json) => meeting.name);
  };
  const refused = async (organization: TestOrganization, parameters: Parameters): Promise<string> => {
    const { status, json, headers } = await exported(organization, { column: ['name'], ...parameters });
    assert.deepEqual([status, headers['x-error-code']], [400, 'invalid-request']);
    return json.error;
  };

  return { holding, exported, names, refused };
}

function queryOf(parameters: Parameters): string {
  return Object.entries(parameters)
    .flatMap(([name, value]) =>
      Array.isArray(value)
        ? value.map((item) => `${name}[]=${encodeURIComponent(String(item))}`)
        : [`${name}=${encodeURIComponent(String(value))}`],
    )
    .join('&');
}

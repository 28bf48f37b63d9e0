import { type OrganizationCall, securedOperation } from '../operation.js';

/** Section 4.3, under both of its paths. */
export const issueLoginLink = securedOperation('issueLoginLink', issue);
export const issueLoginLinkBySegment = securedOperation('issueLoginLinkBySegment', issue);

async function issue(call: OrganizationCall) {
  const { core, organization, path, by } = call;
  const { url } = await core.issueLoginLink({ organization, uuid: path.uuid ?? '', by });
  return { success: 'OTL link generated' as const, otl_url: url };
}

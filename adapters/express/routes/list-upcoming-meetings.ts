import { securedOperation } from '../operation.js';
import { upcomingMeetingsAnswer } from '../upcoming-meetings-answer.js';

/** Section 4.4. */
export const listUpcomingMeetings = securedOperation(
  'listUpcomingMeetings',
  async ({ core, organization, path, input: { page, items } }) => {
    const idpId = path.idpId ?? '';
    return upcomingMeetingsAnswer(await core.listUpcomingMeetings({ organization, idpId, page, items }));
  },
);

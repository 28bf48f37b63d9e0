import { securedOperation } from '../operation.js';
import { upcomingMeetingsAnswer } from '../upcoming-meetings-answer.js';

/** Section 4.4. */
export const listUpcomingMeetings = securedOperation(
  'listUpcomingMeetings',
  async ({ core, organization, path, input: { page, items }, beforeLongTexts }) => {
    const idpId = path.idpId ?? '';
    const request = { organization, idpId, page, items, beforeLongTexts };
    return upcomingMeetingsAnswer(await core.listUpcomingMeetings(request));
  },
);

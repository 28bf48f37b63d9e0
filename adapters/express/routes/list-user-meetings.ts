import { securedOperation } from '../operation.js';
import { upcomingMeetingsAnswer } from '../upcoming-meetings-answer.js';

export const listUserMeetings = securedOperation(
  'listUserMeetings',
  async ({ core, organization, path, input: { page, items }, beforeLongTexts }) => {
    const uuid = path.uuid ?? '';
    const request = { organization, uuid, page, items, beforeLongTexts };
    return upcomingMeetingsAnswer(await core.listUserMeetings(request));
  },
);

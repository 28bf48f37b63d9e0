import { securedOperation } from '../operation.js';
import { upcomingMeetingsAnswer } from '../upcoming-meetings-answer.js';

export const listUserMeetings = securedOperation(
  'listUserMeetings',
  async ({ core, organization, path, input: { page, items } }) => {
    const uuid = path.uuid ?? '';
    return upcomingMeetingsAnswer(await core.listUserMeetings({ organization, uuid, page, items }));
  },
);

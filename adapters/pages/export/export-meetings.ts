import type { Dashboard } from '../dashboard.js';
import type { Page } from '../page.js';
import { inOrganization } from '../visit.js';
import { choiceIn, parametersOf } from './export-choice.js';
import { exportAccess, exportProblems, mistakesOf, showExport } from './preview-export.js';

const wrappings = { json: ['{"success":true,"meetings":[', ']}'], csv: ['', ''] } as const;

/** Sends the file. The JSON has the same bytes as the API's answer. */
export function exportMeetings(dashboard: Dashboard, form: keyof typeof wrappings): Page {
  const [before, after] = wrappings[form];
  return {
    path: `/organizations/:id/export/meetings.${form}`,
    get: inOrganization(dashboard, exportAccess, async (visit) => {
      const { organization, request, response } = visit;
      const choice = choiceIn(request);
      const exported =
        mistakesOf(choice) ??
        (await dashboard.core
          .exportMeetings({ organization, form, ...parametersOf(choice) })
          .catch(exportProblems));
      if (!('chunks' in exported)) return showExport(dashboard, visit, { choice, problems: exported });
      const writeHead = (): void => void response.attachment(`meetings.${form}`);
      await dashboard.sendFile(request, response, { before, chunks: exported.chunks, after, writeHead });
    }),
  };
}

import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { recordDownload } from '../record-download.js';
import { requireMember } from '../visit.js';
import { choiceIn } from './export-choice.js';
import { exportAccess, exportProblems, formProblemsOf, showExport } from './preview-export.js';

const envelopes = { json: ['{"success":true,"meetings":[', ']}'], csv: ['', ''] } as const;

/** Sends the file. The JSON has the same bytes as the API's answer. */
export function exportMeetings(deps: PageDeps, form: keyof typeof envelopes): Page {
  const [before, after] = envelopes[form];
  return {
    path: `/organizations/:id/export/meetings.${form}`,
    get: requireMember(deps, exportAccess, async (visit) => {
      const { organization, request, response } = visit;
      const choice = choiceIn(request);
      const exported =
        formProblemsOf(choice) ??
        (await deps.core.exportMeetings({ organization, form, ...choice }).catch(exportProblems));
      if (!('chunks' in exported)) return showExport(deps, visit, { choice, problems: exported });
      const writeHead = (): void => void response.attachment(`meetings.${form}`);
      const chunks = recordDownload(deps, visit, { chunks: exported.chunks, download: { form } });
      await deps.sendFile(request, response, { before, chunks, after, writeHead });
    }),
  };
}

import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, requireMember } from '../visit.js';
import { choiceIn, coreParameters } from './export-choice.js';
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
        (await deps.core
          .exportMeetings({ organization, form, ...coreParameters(choice) })
          .catch(exportProblems));
      if (!('chunks' in exported)) return showExport(deps, visit, { choice, problems: exported });
      const writeHead = (): void => void response.attachment(`meetings.${form}`);
      const record = () => deps.core.recordExport({ organization, form, by: actorOf(visit) });
      // The answer to HEAD has no body.
      const chunks = request.method === 'HEAD' ? exported.chunks : recorded(exported.chunks, record);
      await deps.sendFile(request, response, { before, chunks, after, writeHead });
    }),
  };
}

/** Nothing leaves before the audit trail says so, and nothing is recorded if the export is refused. */
async function* recorded(
  chunks: AsyncIterable<Uint8Array>,
  record: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let isRecorded = false;
  for await (const chunk of chunks) {
    if (!isRecorded) await record();
    isRecorded = true;
    yield chunk;
  }
  if (!isRecorded) await record();
}

import { sendDownload } from '../download.js';
import { memberPage, type Page } from '../page.js';
import { paths } from '../paths.js';
import { choiceIn, foundFor, rangeName } from './export-choice.js';
import { showExport } from './preview-export.js';

const envelopes = { json: ['{"success":true,"meetings":[', ']}'], csv: ['', ''] } as const;

/** Sends the file. The JSON has the same bytes as the API's answer. */
export function exportMeetings(form: keyof typeof envelopes): Page {
  const [before, after] = envelopes[form];
  return memberPage({
    path: paths.exportFile(':id', form),
    async get(visit) {
      const { core, organization, request } = visit;
      const choice = choiceIn(request);
      const exported = await foundFor(choice, () => core.exportMeetings({ organization, form, ...choice }));
      if (!('chunks' in exported)) return showExport(visit, choice, exported);
      const { chunks } = exported;
      const name = `meetings-${rangeName(choice)}`;
      await sendDownload(visit, { name, form, record: { form }, before, chunks, after });
    },
  });
}

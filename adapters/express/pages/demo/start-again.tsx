import { frameOf } from '../access.js';
import { ask } from '../ask.js';
import { formToken } from '../form.js';
import type { Page } from '../page.js';
import { paths } from '../paths.js';
import type { Demo } from './demo.js';

/** Replaces what visitors of the demo have changed, after a question. */
export function startAgain(demo: Demo): Page {
  return {
    path: paths.startAgain,
    async get(visit) {
      visit.frame = await frameOf(visit);
      ask(Object.assign(visit, { token: formToken(visit) }), {
        title: 'Start again',
        heading: 'Start the demo again?',
        submit: 'Start again',
        cancelPath: paths.home,
        children: (
          <p>
            Everything that you and others changed here is removed, and all are signed out. The sample data is
            back within a minute.
          </p>
        ),
      });
    },
    async post(visit) {
      await demo.startAgain();
      visit.cookies.clear(visit.response, 'session');
      visit.leadTo(paths.signIn, 'demo-started-again');
    },
  };
}

import { paths } from '../paths.js';

/** Above every page of a demo. */
export function DemoStrip() {
  return (
    <aside class="demo-strip" aria-label="About this demo">
      <p class="container">
        <strong>Demo</strong> <span>All people are made up.</span> <a href={paths.mails}>Emails</a>{' '}
        <a href={paths.startAgain}>Start again</a>
      </p>
    </aside>
  );
}

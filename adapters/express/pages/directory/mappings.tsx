import { Steps } from '../design/components.js';
import { presetNames, presets } from '../sign-on/presets.js';

/** What to map at each provider, as the directory's page and the guide show it. */
export function Mappings() {
  return (
    <>
      {presetNames.map((name) => (
        <details key={name}>
          <summary>{name === 'other' ? 'Other providers' : presets[name].title}</summary>
          <Steps of={presets[name].directorySteps} />
        </details>
      ))}
    </>
  );
}

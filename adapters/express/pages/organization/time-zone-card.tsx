import { Button } from '../design/button.js';
import { Form, type FormProblems, Select } from '../design/form.js';
import { zoneName } from '../design/times.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';

export const timeZoneLabels = { timeZone: 'Time zone' };

export interface TimeZoneInput {
  /** Empty for the service's zone. */
  readonly timeZone: string;
  /** The zone that the reader has seen. Empty for the service's zone. */
  readonly shownTimeZone: string;
  readonly problems: FormProblems;
}

/** The field with the zone that the form showed, so that a form does not overwrite a later change. */
export const SHOWN_TIME_ZONE = 'shown_time_zone';

/** Each zone by the name that the runtime prefers, and UTC, which not every runtime lists. */
const zones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].map((value) => ({
  value,
  text: zoneName(value),
}));

/** The zone as the form names it. */
export function zoneTitle(timeZone: string, defaultTimeZone: string): string {
  return timeZone === '' ? `Default (${zoneName(defaultTimeZone)})` : zoneName(timeZone);
}

const HELP =
  'Decides when “today”, “last week” and “last month” begin and end in exports. Choose your city, such as Europe/Helsinki, or one in the same time zone.';

interface TimeZoneCardProps {
  readonly visit: MemberVisit;
  readonly form: TimeZoneInput;
}

export function TimeZoneCard({ visit, form: { timeZone, shownTimeZone, problems } }: TimeZoneCardProps) {
  const isListed = timeZone === '' || zones.some(({ value }) => value === timeZone);
  const unlisted = isListed ? [] : [{ value: timeZone, text: timeZone }];
  const byDefault = { value: '', text: zoneTitle('', visit.defaultTimeZone) };
  return (
    <section class="card" aria-labelledby="time-zone">
      <h2 id="time-zone">Time zone of exports</h2>
      <Form action={paths.organization(visit.organization.id)} token={visit.token} problem={problems.general}>
        <input type="hidden" name={SHOWN_TIME_ZONE} value={shownTimeZone} />
        <Select
          name="time_zone"
          label={timeZoneLabels.timeZone}
          choices={[byDefault, ...unlisted, ...zones]}
          value={timeZone}
          help={HELP}
          problem={problems.fields.timeZone}
        />
        <div class="actions">
          <Button kind="secondary">Save the time zone</Button>
        </div>
      </Form>
    </section>
  );
}

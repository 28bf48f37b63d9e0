import type { DeliverySummary } from '@rollcall/core';
import { Bar, round } from '../design/chart.js';
import { Card } from '../design/components.js';
import { inEnglish } from '../design/list.js';
import { clockText, dayAndMonth, dayOf, type TimeZone } from '../design/times.js';

type Hours = DeliverySummary['hours'];

type HourChartProps = Pick<DeliverySummary, 'hours' | 'hasOlder'> & { readonly zone: TimeZone };

/** Units of the chart: about its pixels on a phone. */
const WIDTH = 336;
const BARS = { height: 72, share: 0.72 } as const;
const LABELS = 20;

/** How the deliveries of the latest hours ended: delivered ones above the line, failed ones below it. */
export function HourChart({ hours, hasOlder, zone }: HourChartProps) {
  const [delivered, failed] = [totalOf(hours, 'delivered'), totalOf(hours, 'failed')];
  const title = `Events of the last ${hours.length} hours`;
  return (
    <Card id="hours" title={title}>
      <p>
        {delivered + failed === 0
          ? 'Nothing was delivered, and nothing failed.'
          : `${inEnglish(delivered)} delivered, ${inEnglish(failed)} failed.`}{' '}
        Tests are counted only below.
      </p>
      {hasOlder && (
        <p class="fine-print">If there were more than 5,000 deliveries, only the newest are counted.</p>
      )}
      {delivered + failed > 0 && <Bars {...{ hours, zone }} label={title} />}
    </Card>
  );
}

function Bars({ hours, zone, label }: Omit<HourChartProps, 'hasOlder'> & { readonly label: string }) {
  const [up, down] = [topOf(hours, 'delivered'), topOf(hours, 'failed')];
  const scale = BARS.height / (up + down);
  const line = round(up * scale);
  const step = WIDTH / hours.length;
  const column = (index: number) => ({ x: step * index, width: step * BARS.share });
  return (
    <figure class="chart hours">
      <svg
        viewBox={`0 0 ${WIDTH} ${BARS.height + LABELS}`}
        role="img"
        aria-label={labelOf(hours, zone, label)}
      >
        {hours.map(
          ({ from, delivered, failed }, index) =>
            delivered + failed > 0 && (
              <g key={from.getTime()}>
                <title>{`${hourText(from, zone)}: ${delivered} delivered, ${failed} failed`}</title>
                <Bar tone="full" {...column(index)} y={line - delivered * scale} height={delivered * scale} />
                <Bar tone="failed" {...column(index)} y={line} height={failed * scale} />
              </g>
            ),
        )}
        <line x1={0} x2={WIDTH} y1={line} y2={line} />
        {midnights(hours, zone).map(([day, index]) => (
          <text key={day} x={round(step * index)} y={BARS.height + LABELS - 6}>
            {dayAndMonth(day)}
          </text>
        ))}
        <text x={WIDTH} y={BARS.height + LABELS - 6} text-anchor="end">
          now
        </text>
      </svg>
    </figure>
  );
}

function totalOf(hours: Hours, ending: 'delivered' | 'failed'): number {
  return hours.reduce((sum, hour) => sum + hour[ending], 0);
}

function topOf(hours: Hours, ending: 'delivered' | 'failed'): number {
  return Math.max(...hours.map((hour) => hour[ending]));
}

/** The first hour of each day but the current one's neighbor, whose label would reach into `now`. */
function midnights(hours: Hours, zone: TimeZone): readonly (readonly [day: string, index: number])[] {
  const days = hours.map(({ from }) => dayOf(from, zone));
  return days.flatMap((day, index) =>
    days[index - 1] !== day && index < hours.length - 10 ? [[day, index] as const] : [],
  );
}

/** `20 Nov, 18:00` */
function hourText(from: Date, zone: TimeZone): string {
  return `${dayAndMonth(dayOf(from, zone))}, ${clockText(from, zone)}`;
}

/** Says what a reader looks for: when deliveries failed. */
function labelOf(hours: Hours, zone: TimeZone, label: string): string {
  const failing = hours.filter(({ failed }) => failed > 0).map(({ from }) => hourText(from, zone));
  if (failing.length === 0) return `${label}: none failed`;
  const [first] = failing;
  const when = failing.length === 1 ? `after ${first}` : `between ${first} and ${failing.at(-1)}`;
  return `${label}: failed ${when}`;
}

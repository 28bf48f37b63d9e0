import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export interface Panel {
  readonly title: string;
  readonly description: string;
  /** What it asks Prometheus. */
  readonly expressions: readonly string[];
  readonly place: Place;
}

interface DataSource {
  readonly type: string;
  readonly uid: string;
}

interface Dashboard {
  readonly schemaVersion: number;
  readonly templating: {
    readonly list: readonly {
      readonly name: string;
      readonly type: string;
      readonly query: unknown;
      readonly datasource?: DataSource;
    }[];
  };
  readonly panels: readonly {
    readonly id: number;
    readonly type: string;
    readonly title: string;
    readonly description?: string;
    readonly datasource?: DataSource;
    readonly targets?: readonly { readonly refId: string; readonly expr: string }[];
    readonly gridPos: Place;
  }[];
}

const file = fileURLToPath(new URL('../../../../contracts/dashboard.json', import.meta.url));

/** Everything in `contracts/dashboard.json`, as Grafana reads it. */
export function readDashboard(): Dashboard {
  return JSON.parse(readFileSync(file, 'utf8')) as Dashboard;
}

/** The panels of `contracts/dashboard.json`, without the headings. */
export function readPanels(): readonly Panel[] {
  return readDashboard()
    .panels.filter(({ type }) => type !== 'row')
    .map(({ title, description = '', targets = [], gridPos }) => ({
      title,
      description,
      expressions: targets.map(({ expr }) => expr),
      place: gridPos,
    }));
}

/** What Grafana asks Prometheus for an expression when every job is chosen. */
export function asked(expression: string): string {
  return expression.replaceAll('$job', '.*').replaceAll('$__rate_interval', '5m');
}

/** The pairs of panels that cover each other. */
export function overlaps(panels: readonly Pick<Panel, 'title' | 'place'>[]): readonly string[] {
  return panels.flatMap((one, index) =>
    panels
      .slice(index + 1)
      .filter((other) => cover(one.place, other.place))
      .map((other) => `${one.title} and ${other.title}`),
  );
}

function cover(one: Place, other: Place): boolean {
  const isBeside = one.x + one.w <= other.x || other.x + other.w <= one.x;
  const isAbove = one.y + one.h <= other.y || other.y + other.h <= one.y;
  return !isBeside && !isAbove;
}

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

interface Dashboard {
  readonly panels: readonly {
    readonly type: string;
    readonly title: string;
    readonly description?: string;
    readonly targets?: readonly { readonly expr: string }[];
    readonly gridPos: Place;
  }[];
}

const file = fileURLToPath(new URL('../../../../contracts/dashboard.json', import.meta.url));

/** The panels of `contracts/dashboard.json`, without the headings. */
export function readPanels(): readonly Panel[] {
  const { panels } = JSON.parse(readFileSync(file, 'utf8')) as Dashboard;
  return panels
    .filter(({ type }) => type !== 'row')
    .map(({ title, description = '', targets = [], gridPos }) => ({
      title,
      description,
      expressions: targets.map(({ expr }) => expr),
      place: gridPos,
    }));
}

/** The pairs of panels that cover each other. */
export function overlaps(panels: readonly Panel[]): readonly string[] {
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

type BarProps = Readonly<Record<'x' | 'y' | 'width' | 'height', number>> & { readonly tone: string };

/** A bar of a chart, from its top left corner, in units of the chart. `tone`: the class of its color. */
export function Bar({ tone, x, y, width, height }: BarProps) {
  return <rect class={tone} x={round(x)} y={round(y)} width={round(width)} height={round(height)} />;
}

/** To tenths, which are less than a pixel. */
export function round(units: number): number {
  return Math.round(units * 10) / 10;
}

/** The export and its chart. */
export const exportStyles = `
:root {
  --bar: #7d87d8;
  --bar-now: #3f47b5;
  --bar-back: #dcdff5;
  --shade: rgb(20 26 48 / 22%);
}

@media (prefers-color-scheme: dark) {
  :root {
    --bar: #7079c9;
    --bar-now: #b3b9f4;
    --bar-back: #343a5e;
    --shade: rgb(0 0 0 / 65%);
  }
}

.chart {
  margin: 0 0 1rem;
}

.chart figcaption {
  display: flex;
  flex-wrap: wrap;
  gap: 0.25rem 1rem;
  justify-content: space-between;
  margin: 0;
  padding: 0;
  color: inherit;
  font-size: 0.9375rem;
  font-weight: 600;
}

.chart svg {
  display: block;
  width: 100%;
  height: auto;
}

.chart line {
  stroke: var(--line);
}

.chart text {
  fill: var(--soft);
  font-size: 12px;
  font-variant-numeric: tabular-nums;
}

@media (min-width: 576px) {
  .chart text {
    font-size: 10px;
  }
}

.chart text.current {
  fill: var(--pico-color);
  font-weight: 600;
}

.chart .full {
  fill: var(--bar);
}

.chart .pale {
  fill: var(--bar-back);
}

.chart .current .full {
  fill: var(--bar-now);
}

.legend {
  display: flex;
  gap: 1rem;
  color: var(--soft);
  font-size: 0.8125rem;
  font-weight: 400;
}

.key::before {
  display: inline-block;
  width: 0.75em;
  height: 0.75em;
  margin-inline-end: 0.375rem;
  border-radius: 2px;
  content: "";
}

.key.full::before {
  background: var(--bar);
}

.key.pale::before {
  background: var(--bar-back);
}

fieldset legend {
  margin-bottom: 0.5rem;
  font-weight: 600;
}

.ticks {
  display: grid;
  grid-template-columns: repeat(2, minmax(0, 1fr));
  gap: 0 1rem;
}

.ticks + .actions, .ticks + .field-problem + .actions {
  margin-top: 0.5rem;
}

.preview {
  margin-bottom: 1rem;
  scroll-margin-top: 1rem;
}

.preview h2 {
  --pico-font-size: 1.1875rem;
  margin-bottom: 0.75rem;
}

.preview .actions + .field-help {
  margin: 0.75rem 0;
}

form > button.unseen {
  width: 1px;
  margin: 0;
  padding: 0;
  border: 0;
}

/* Where more is to be seen at a side there is a shade, which its own edge covers when it comes into sight. */
.sideways {
  margin-bottom: 1rem;
  overflow-x: auto;
  border: 1px solid var(--line);
  border-radius: 0.75rem;
  background:
    linear-gradient(to right, var(--surface) 40%, transparent) left / 3rem 100% no-repeat local,
    linear-gradient(to left, var(--surface) 40%, transparent) right / 3rem 100% no-repeat local,
    linear-gradient(to right, var(--shade), transparent) left / 1rem 100% no-repeat scroll,
    linear-gradient(to left, var(--shade), transparent) right / 1rem 100% no-repeat scroll,
    var(--surface);
}

.nothing {
  color: var(--soft);
}

@media (min-width: 576px) {
  .ticks {
    grid-template-columns: repeat(auto-fill, minmax(10.5rem, 1fr));
  }
}

.sideways table.data {
  display: table;
  width: max-content;
  min-width: 100%;
  margin: 0;
  border: 0;
  background: none;
}

.sideways table.data thead {
  display: table-header-group;
}

.sideways table.data tbody {
  display: table-row-group;
}

.sideways table.data tr {
  display: table-row;
}

.sideways table.data td {
  display: table-cell;
  max-width: 15rem;
  padding: 0.5rem 0.875rem;
  border-bottom: 1px solid var(--line);
}

.sideways table.data td::before {
  content: none;
}

.sideways table.data td.number {
  text-align: end;
}

.command .copy-label {
  grid-column: 1;
}

.command .copy pre {
  grid-column: 1 / -1;
  grid-row: 2;
}

.command .copy button {
  grid-column: 2;
  grid-row: 1;
}

details summary::after {
  background-image: url("chevron.svg");
}
`;

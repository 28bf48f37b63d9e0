/** The pieces of parts.tsx: tables, copied texts, filters. */
export const partsStyles = `
.place-bar {
  border-bottom: 1px solid var(--line);
  background: var(--surface);
}

.place-bar .container {
  max-width: 60rem;
  padding: 0.5rem 1rem 0;
}

.place {
  display: flex;
  flex-wrap: wrap;
  gap: 0.25rem 1rem;
  align-items: baseline;
  margin-bottom: 0.5rem;
  font-weight: 600;
}

.place a {
  font-size: 0.875rem;
  font-weight: 400;
}

.place-bar nav {
  display: flex;
  flex-wrap: wrap;
  justify-content: flex-start;
  gap: 0 1.25rem;
}

.place-bar nav a {
  flex: none;
  padding: 0.5rem 0;
  border-bottom: 3px solid transparent;
  color: var(--soft);
  text-decoration: none;
}

.place-bar nav a:hover {
  color: var(--pico-primary);
}

.place-bar nav a[aria-current] {
  border-color: var(--pico-primary);
  color: inherit;
  font-weight: 600;
}

.unseen {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}

table.data {
  margin-bottom: 1rem;
  border: 1px solid var(--line);
  border-radius: 0.75rem;
  border-collapse: separate;
  border-spacing: 0;
  overflow: hidden;
  background: var(--surface);
  font-size: 0.9375rem;
}

table.data th, table.data td {
  padding: 0.625rem 0.875rem;
  border-bottom: 1px solid var(--line);
  background: none;
  vertical-align: top;
}

table.data th {
  color: var(--soft);
  font-size: 0.8125rem;
  font-weight: 600;
}

table.data th, table.data .short {
  overflow-wrap: normal;
}

table.data time {
  white-space: nowrap;
}

table.data tbody tr:last-child td {
  border-bottom: 0;
}

/* Long names leave the other columns as wide as their words. */
table.data th, table.data .badge, table.data time {
  overflow-wrap: normal;
  white-space: nowrap;
}

table.data .badge {
  justify-self: start;
}

table.data .number {
  font-variant-numeric: tabular-nums;
  text-align: end;
}

table.data form {
  display: inline-block;
  margin: 0 0.5rem 0 0;
}

@media (max-width: 575px) {
  table.data thead {
    display: none;
  }

  table.data, table.data tbody, table.data tr, table.data td {
    display: block;
  }

  table.data tr {
    padding: 0.5rem 0;
    border-bottom: 1px solid var(--line);
  }

  table.data tbody tr:last-child {
    border-bottom: 0;
  }

  table.data td, table.data td.number {
    display: grid;
    grid-template-columns: 7.5rem 1fr;
    gap: 0.75rem;
    padding: 0.25rem 0.875rem;
    border: 0;
    text-align: start;
  }

  table.data td.short {
    overflow-wrap: anywhere;
  }

  table.data td::before {
    color: var(--soft);
    font-size: 0.8125rem;
    content: attr(data-title);
  }
}

button.small, a.small {
  width: auto;
  margin: 0;
  padding: 0.25rem 0.75rem;
  font-size: 0.875rem;
}

button.danger {
  --pico-background-color: #b3261e;
  --pico-border-color: #b3261e;
  --pico-color: #fff;
}

.actions {
  display: flex;
  flex-wrap: wrap;
  gap: 0.75rem 1.25rem;
  align-items: center;
}

.actions > button, .actions > form, .actions > form > button {
  width: auto;
  margin: 0;
}

.copy {
  display: grid;
  grid-template-columns: 1fr auto;
  gap: 0.25rem 0.75rem;
  align-items: center;
  margin-bottom: 1.25rem;
}

.copy-label {
  grid-column: 1 / -1;
  margin: 0;
  font-weight: 600;
}

.copy-text, .copy pre {
  border: 1px solid var(--line);
  background: var(--page);
  color: inherit;
}

.copy-text {
  display: block;
  padding: 0.625rem 0.875rem;
  overflow-wrap: anywhere;
}

.copy pre + button {
  align-self: start;
}

.copy pre {
  margin: 0;
  overflow-x: auto;
}

.copy pre code {
  display: block;
  background: none;
  color: inherit;
  padding: 0.75rem 0.875rem;
  font-size: 0.8125rem;
  white-space: pre;
}

.filters {
  display: flex;
  flex-wrap: wrap;
  justify-content: flex-start;
  gap: 0.5rem;
  margin-bottom: 1rem;
}

.filters a {
  padding: 0.25rem 0.875rem;
  border: 1px solid var(--line);
  border-radius: 1rem;
  background: var(--surface);
  color: var(--soft);
  font-size: 0.875rem;
  text-decoration: none;
}

.filters a[aria-current] {
  border-color: var(--pico-primary);
  color: var(--pico-primary);
  font-weight: 600;
}

.lines {
  display: grid;
  gap: 0.125rem;
  justify-items: start;
}

.fine {
  color: var(--soft);
  font-size: 0.8125rem;
}

.list-title {
  --pico-font-size: 1.1875rem;
  margin: 2rem 0 0.75rem;
}

.way-back {
  margin-bottom: 0.5rem;
  font-size: 0.9375rem;
}

.badge.wrong {
  background: var(--wrong-back);
  color: var(--wrong);
}

.field select, .field textarea {
  margin-bottom: 0.25rem;
}

.field select {
  background-image: url("chevron.svg");
}

.field input[type="datetime-local"] {
  background-image: url("calendar.svg");
}

.field textarea {
  font-family: var(--pico-font-family-monospace);
  font-size: 0.875rem;
}

.tick {
  display: flex;
  gap: 0.625rem;
  align-items: center;
  margin-bottom: 0.625rem;
}

.tick input {
  flex: none;
  margin: 0;
}

.tick input[type="checkbox"]:checked {
  background-image: url("check.svg");
}

.tick label {
  margin: 0;
}

.facts {
  display: grid;
  grid-template-columns: fit-content(40%) minmax(0, 1fr);
  gap: 0.5rem 1.25rem;
  margin-bottom: 1.25rem;
}

@media (max-width: 575px) {
  .facts {
    grid-template-columns: minmax(0, 1fr);
    gap: 0;
  }

  .facts dd + dt {
    margin-top: 0.75rem;
  }
}

.facts dt {
  color: var(--soft);
  font-weight: 400;
}

.facts dd {
  margin: 0;
  overflow-wrap: anywhere;
}

.columns {
  display: grid;
  gap: 0 1.25rem;
}

@media (min-width: 576px) {
  .columns {
    grid-template-columns: repeat(2, minmax(0, 1fr));
  }
}

.card > .columns:last-child {
  margin-bottom: -1.25rem;
}

.card h2 {
  --pico-font-size: 1.1875rem;
  margin-bottom: 0.75rem;
}
`;

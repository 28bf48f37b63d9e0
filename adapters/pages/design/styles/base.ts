/** What every page has: colours, the bars at the top, cards, forms. Light and dark differ in the colours alone. */
export const baseStyles = `
:root {
  --pico-font-size: 100%;
  --pico-spacing: 1rem;
  --pico-border-radius: 0.5rem;
  --pico-form-element-spacing-vertical: 0.625rem;
  --pico-form-element-spacing-horizontal: 0.875rem;
  --page: #f5f6f9;
  --surface: #fff;
  --line: #e2e5ec;
  --edge: #868fa3;
  --soft: #5b6478;
  --good: #0b6b3a;
  --good-back: #dcf5e6;
  --waiting: #7a4b00;
  --waiting-back: #fdeecb;
  --over: #5a6274;
  --over-back: #e9ebf0;
  --wrong: #b3261e;
  --wrong-back: #fdecea;
}

@media (prefers-color-scheme: dark) {
  :root {
    --page: #12151d;
    --surface: #1b202b;
    --line: #2e3544;
    --edge: #747f96;
    --soft: #9aa4b8;
    --good: #7fe0a8;
    --good-back: #123824;
    --waiting: #f6cb6b;
    --waiting-back: #3b2c08;
    --over: #b3bbcb;
    --over-back: #2c3341;
    --wrong: #ff9c94;
    --wrong-back: #3d1a18;
  }
}

:root:not([data-theme]) {
  --pico-background-color: var(--page);
  --pico-form-element-background-color: var(--surface);
  --pico-form-element-border-color: var(--edge);
  --pico-form-element-invalid-border-color: var(--wrong);
  --pico-form-element-invalid-active-border-color: var(--wrong);
}

body {
  overflow-wrap: anywhere;
}

h1, h2, h3 {
  text-wrap: balance;
}

h1 {
  --pico-font-size: 1.625rem;
  --pico-typography-spacing-vertical: 1rem;
  --pico-typography-spacing-top: 0;
  line-height: 1.25;
}

.skip-link {
  position: absolute;
  inset-inline-start: 1rem;
  top: -4rem;
  padding: 0.5rem 1rem;
  border-radius: var(--pico-border-radius);
  background: var(--surface);
  z-index: 1;
}

.skip-link:focus {
  top: 0.5rem;
}

body > main.container {
  max-width: 60rem;
  padding: 1.5rem 1rem 4rem;
}

main:focus {
  outline: none;
}

body > header.top-bar {
  padding: 0;
  border-bottom: 1px solid var(--line);
  background: var(--surface);
}

.top-bar .container {
  display: flex;
  align-items: center;
  justify-content: space-between;
  gap: 1rem;
  max-width: 60rem;
  min-height: 3.5rem;
  padding: 0.375rem 1rem;
}

.brand {
  display: flex;
  flex: none;
  align-items: center;
  gap: 0.625rem;
  max-width: 60%;
  color: inherit;
  font-weight: 700;
  text-decoration: none;
}

.brand:hover {
  text-decoration: underline;
}

.signed-in {
  display: flex;
  align-items: center;
  gap: 0.75rem;
  min-width: 0;
}

.signed-in .person {
  min-width: 0;
  overflow: hidden;
  color: var(--soft);
  font-size: 0.875rem;
  text-overflow: ellipsis;
  white-space: nowrap;
}

.signed-in form {
  flex: none;
  margin: 0;
}

.signed-in button {
  width: auto;
  margin: 0;
  padding: 0.3125rem 0.75rem;
  font-size: 0.875rem;
}

.card {
  --pico-code-background-color: var(--page);
  display: block;
  margin-bottom: 1rem;
  padding: 1.25rem;
  border: 1px solid var(--line);
  border-radius: 0.75rem;
  background: var(--surface);
  box-shadow: 0 1px 2px rgb(0 0 0 / 5%);
}

.card > :last-child {
  margin-bottom: 0;
}

.narrow {
  max-width: 27rem;
  margin: 0.5rem auto 0;
}

@media (min-width: 576px) {
  .narrow {
    margin-top: 3rem;
    padding: 2rem;
  }
}

.narrow button[type="submit"] {
  margin-bottom: 0;
}

.fine-print {
  margin-top: 1.25rem;
  color: var(--soft);
  font-size: 0.875rem;
}

.field {
  margin-bottom: 1.25rem;
}

.field label, .field input {
  margin-bottom: 0.25rem;
}

.field label {
  font-weight: 600;
}

.field input::-webkit-calendar-picker-indicator {
  opacity: 1;
}

.field input[readonly] {
  border-color: var(--line);
  background: var(--page);
  color: var(--soft);
}

.field-problem, .field-help {
  margin: 0;
  font-size: 0.875rem;
}

.field-problem {
  color: var(--wrong);
}

.field-help {
  color: var(--soft);
}

.problem, .notice {
  margin-bottom: 1.25rem;
  padding: 0.75rem 1rem;
  border-radius: var(--pico-border-radius);
}

.problem {
  margin-top: 1.25rem;
  background: var(--wrong-back);
  color: var(--wrong);
}

.notice {
  background: var(--good-back);
  color: var(--good);
}

.notice a {
  color: inherit;
}

hgroup {
  margin-bottom: 1.5rem;
}

hgroup > h1 {
  margin-bottom: 0.25rem;
}

hgroup > p {
  color: var(--soft);
}

.empty {
  padding: 2rem 1.25rem;
  text-align: center;
}

.pagination {
  display: grid;
  grid-template-columns: 1fr auto 1fr;
  gap: 1rem;
  margin-bottom: 1.5rem;
  color: var(--soft);
}

.pagination > :last-child {
  text-align: end;
}
`;

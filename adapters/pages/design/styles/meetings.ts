/** The member's own pages. */
export const meetingsStyles = `
.choices, .meetings {
  margin: 0;
  padding: 0;
}

.choices > li, .meetings > li {
  margin: 0;
  list-style: none;
}

.choices .card {
  color: inherit;
  font-weight: 600;
  text-decoration: none;
}

.choices .card:hover, .choices .card:focus-visible {
  border-color: var(--pico-primary);
  color: var(--pico-primary);
}

.above-list {
  display: flex;
  flex-wrap: wrap;
  gap: 0 1.25rem;
  align-items: baseline;
  justify-content: space-between;
  margin-bottom: 1.25rem;
}

.above-list .zone {
  margin: 0;
}

.day {
  margin-bottom: 2rem;
}

.day h2 {
  --pico-font-size: 1rem;
  margin-bottom: 0.625rem;
  color: var(--soft);
}

.meeting {
  display: grid;
  gap: 0.375rem 1rem;
  align-items: start;
}

.meeting > * {
  margin: 0;
}

.meeting .when {
  font-variant-numeric: tabular-nums;
}

.meeting .range {
  margin-inline-end: 0.625rem;
}

@media (min-width: 576px) {
  .meeting {
    grid-template-columns: 1fr auto;
  }

  .meeting .badges {
    grid-row: 1;
    grid-column: 2;
    justify-content: flex-end;
  }

  .meeting h3, .meeting dl {
    grid-column: 1 / -1;
  }
}

.meeting .duration {
  color: var(--soft);
  font-size: 0.875rem;
}

.meeting .range, .meeting .duration {
  display: inline-block;
}

.meeting h3 {
  --pico-font-size: 1.125rem;
}

.badges {
  display: flex;
  flex-wrap: wrap;
  gap: 0.25rem;
}

.badge {
  padding: 0.125rem 0.625rem;
  border-radius: 1rem;
  font-size: 0.8125rem;
  font-weight: 600;
}

.badge.good {
  background: var(--good-back);
  color: var(--good);
}

.badge.waiting {
  background: var(--waiting-back);
  color: var(--waiting);
}

.badge.over {
  background: var(--over-back);
  color: var(--over);
}

.meeting dl {
  display: grid;
  grid-template-columns: repeat(2, minmax(0, 1fr));
  gap: 0.75rem 1rem;
  margin-top: 0.75rem;
}

@media (min-width: 576px) {
  .meeting dl {
    grid-template-columns: repeat(4, minmax(0, 1fr));
  }
}

.meeting details {
  grid-column: 1 / -1;
  margin-top: 0.5rem;
}

.meeting summary {
  font-size: 0.9375rem;
}

.meeting .description {
  margin: 0.5rem 0 0;
  font-size: 0.9375rem;
  overflow-wrap: anywhere;
  white-space: pre-line;
}

.meeting .add {
  grid-column: 1 / -1;
  margin-top: 0.25rem;
  font-size: 0.9375rem;
}

.meeting .wide {
  grid-column: 1 / -1;
}

.meeting dt {
  color: var(--soft);
  font-size: 0.8125rem;
  font-weight: 400;
}

.meeting dd {
  margin: 0;
  font-size: 0.9375rem;
}

.leader {
  display: flex;
  align-items: center;
  gap: 0.5rem;
}

.avatar {
  display: inline-flex;
  flex: none;
  align-items: center;
  justify-content: center;
  width: 1.75rem;
  height: 1.75rem;
  overflow: hidden;
  border-radius: 50%;
  color: #fff;
  font-size: 0.6875rem;
  font-weight: 700;
}

.avatar-0 { background: #3f52b5; }
.avatar-1 { background: #00695c; }
.avatar-2 { background: #8e2462; }
.avatar-3 { background: #a13d13; }
.avatar-4 { background: #1d6a9c; }
.avatar-5 { background: #5e35a8; }

`;

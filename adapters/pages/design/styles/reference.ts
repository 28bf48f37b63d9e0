/**
 * The reference stands without Pico, whose styles of buttons and tables would meet Swagger UI's: here is what
 * the bars at the top need of it, and where Swagger UI does not go with our pages.
 */
export const referenceStyles = `
:root {
  --pico-border-radius: 0.5rem;
  --pico-primary: #2c4bd6;
  --text: #2d3138;
  color-scheme: light dark;
}

@media (prefers-color-scheme: dark) {
  :root {
    --pico-primary: #9dabff;
    --text: #dfe3ea;
  }
}

*, *::before, *::after {
  box-sizing: border-box;
}

body {
  margin: 0;
  background: var(--page);
  color: var(--text);
  font: 1rem/1.5 system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif;
}

a {
  color: var(--pico-primary);
}

h1, hgroup p {
  margin: 0;
}

h1 {
  font-size: 1.625rem;
}

.container {
  margin: 0 auto;
}

html body > main.container, html .top-bar .container {
  max-width: 75rem;
}

.operations ul {
  padding: 0;
  list-style: none;
}

.operations li {
  display: grid;
  gap: 0 1.25rem;
  padding: 0.625rem 0;
  border-top: 1px solid var(--line);
}

@media (min-width: 800px) {
  .operations li {
    grid-template-columns: 3fr 2fr;
  }
}

html.dark-mode .swagger-ui, html.dark-mode .swagger-ui .scheme-container {
  background: none;
}

.swagger-ui .scheme-container {
  margin: 0 0 1.25rem;
  padding: 0.75rem 0;
  background: none;
  box-shadow: none;
}

.swagger-ui .wrapper {
  padding: 0;
}

/* No operation has any. */
.swagger-ui .response-col_links {
  display: none;
}

.swagger-ui .response-controls {
  flex-wrap: wrap;
  gap: 0.5rem 0;
}

.swagger-ui .response-control-media-type__accept-controller select,
.swagger-ui .response-control-examples .examples-select-element {
  min-width: 9rem;
}

html.dark-mode .swagger-ui table.headers td, html.dark-mode .swagger-ui .examples-select__section-label {
  color: var(--text);
}

html:not(.dark-mode) .swagger-ui .renderedMarkdown code {
  color: #6b0fc0;
}

/* Its colours, darker where they are too faint to be read. */
.swagger-ui .opblock.opblock .opblock-summary .opblock-summary-method {
  background: #1f6fc4;
  text-shadow: none;
}

.swagger-ui .opblock.opblock-post .opblock-summary .opblock-summary-method {
  background: #0b7a45;
}

.swagger-ui .opblock.opblock-patch .opblock-summary .opblock-summary-method {
  background: #0e7468;
}

.swagger-ui .btn.authorize {
  border-color: #0b7a45;
  color: #0b7a45;
}

.swagger-ui .btn.authorize svg {
  fill: #0b7a45;
}

.swagger-ui .btn.cancel, html.dark-mode .swagger-ui .opblock .try-out .btn.try-out__btn.cancel {
  border-color: var(--wrong);
  color: var(--wrong);
}

.swagger-ui .btn.execute {
  border-color: #1f6fc4;
  background: #1f6fc4;
  color: #fff;
}

.swagger-ui .download-contents button, .swagger-ui button.download-contents {
  background: #4a5264;
  color: #fff;
}

.swagger-ui .response-control-media-type__accept-message, .swagger-ui .examples-select__section-label,
.swagger-ui .parameters-col_name .parameter__in {
  color: var(--soft);
}

.swagger-ui .response-control-media-type--accept-controller select {
  border-color: var(--edge);
}

@media (prefers-color-scheme: dark) {
  .swagger-ui .btn.authorize {
    border-color: var(--good);
    color: var(--good);
  }

  .swagger-ui .btn.authorize svg {
    fill: var(--good);
  }
}
`;

import { escapeHtml } from '../../src/shared/wire/html.ts'

/** Returns the page that a browser shows while the site does not build or start. It reloads after each build. */
export function createErrorPage(title: string, text: string, base: string): string {
  const channel = `${base === '/' ? '' : base}/_hydrant/dev`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; }
body { margin: 0 auto; padding: 2rem 1.5rem; max-width: 60rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.25rem; }
pre { overflow-x: auto; padding: 1rem; border: 1px solid; border-radius: 0.5rem; font: 0.875rem/1.5 ui-monospace, monospace; }
</style>
</head>
<body>
<main role="alert">
<h1>${escapeHtml(title)}</h1>
<pre>${escapeHtml(text)}</pre>
<p>This page reloads when the site has been built again.</p>
</main>
<script>new EventSource(${JSON.stringify(channel)}).addEventListener('reload', () => location.reload())</script>
</body>
</html>
`
}

import { dirname } from 'node:path'
import { build } from 'esbuild'
import type { DevError } from '../../../src/shared/wire/dev-protocol.ts'
import { escapeHtml, escapeScript } from '../../../src/shared/wire/html.ts'
import { HYDRANT_FILES, hydrantPath } from '../../build/esbuild/hydrant-files.ts'
import { entryPath } from '../../build/esbuild/input-path.ts'

/** Milliseconds after which a page without its script loads again. */
const RELOAD_MS = 1_000

/**
 * Bundles the script of the error page: a site that does not build has no scripts. esbuild escapes `</script` in it.
 * Resolves with null if esbuild cannot: the error may be in the `package.json` of the site, which it also reads.
 */
export async function buildErrorScript(): Promise<string | null> {
  const path = hydrantPath(HYDRANT_FILES.errorPage)
  const result = await build({
    absWorkingDir: dirname(path),
    entryPoints: [entryPath(dirname(path), path)],
    bundle: true,
    charset: 'utf8',
    format: 'esm',
    legalComments: 'none',
    platform: 'browser',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  }).catch(() => null)
  return result?.outputFiles[0]?.text ?? null
}

/**
 * Returns the page that a browser shows while the site does not build or start. It reloads after each build.
 *
 * @param text The errors as text, for clients without JavaScript.
 * @param script The result of `buildErrorScript`.
 */
export function createErrorPage(
  errors: readonly DevError[],
  text: string,
  base: string,
  script: string | null,
): string {
  const title = errors[0]?.title ?? ''
  const data = { base: base === '/' ? '' : base, errors }
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 60rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.25rem; }
pre { overflow-x: auto; font: 0.875rem/1.5 ui-monospace, monospace; }
</style>
</head>
<body>
<main role="alert">
<h1>${escapeHtml(title)}</h1>
<pre>${escapeHtml(text)}</pre>
<p>This page reloads when the site has been built again.</p>
</main>
<script type="application/json">${escapeScript(JSON.stringify(data))}</script>
<script type="module">${script ?? `setTimeout(() => location.reload(), ${RELOAD_MS})`}</script>
</body>
</html>
`
}

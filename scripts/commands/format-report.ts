import { posix } from 'node:path'
import { type RouteEntry, serverFileKeys } from '../../src/server/build-output/manifest.ts'
import { countOf } from '../../src/server/log/throttled-line.ts'
import type { SiteBuild } from '../build/build-site.ts'
import type { ImageSummary } from '../build/images.ts'
import type { PrerenderSummary } from '../build/prerender/prerender-site.ts'
import { type BuildProblem, compareText } from '../build-problem.ts'
import type { SiteExport } from '../export/export-site.ts'
import { formatProblem, formatWarning } from '../terminal/format-error.ts'
import type { Output } from '../terminal/text.ts'

export function formatReport(build: SiteBuild): string {
  const pages = reportPages(build)
  const { files, bytes, gzipBytes } = reportTotals(build)
  const rows = [['page', 'kind', 'JS', 'with shared', 'CSS'], ...pages.map(formatPage)]
  return [
    ...(pages.length > 0 ? [...formatTable(rows), ''] : []),
    `${countOf(pages.length, 'page')}, ${files} files for the browser: ${formatBytes(bytes)}, ${formatBytes(gzipBytes)} gzipped`,
    ...formatImages(build.images),
    ...formatPrerendered(build.prerendered),
    ...(build.keptFiles > 0 ? [`kept for open pages: ${countOf(build.keptFiles, 'file')} of earlier builds`] : []),
    `built in ${formatDuration(build.durationMs)}, written to ${build.folder}`,
  ].join('\n')
}

export function formatExport({ pages, files, folder, durationMs }: SiteExport): string {
  return `exported ${countOf(pages, 'page')}, ${countOf(files, 'file')}, in ${formatDuration(durationMs)}, written to ${folder}`
}

function formatImages({ encoded, cached, withoutSharp }: ImageSummary): string[] {
  const copies = `images: ${countOf(encoded + cached, 'file')} in AVIF and WebP, ${encoded} of them new`
  const count = withoutSharp === 1 ? '1 image has' : `${withoutSharp} images have`
  const hint = `images: ${count} no copies in AVIF and WebP; to make them, run "npm install --save-dev sharp"`
  return [...(encoded + cached > 0 ? [copies] : []), ...(withoutSharp > 0 ? [hint] : [])]
}

function formatPrerendered(prerendered: PrerenderSummary | null): string[] {
  if (prerendered === null) return []
  const { pages, durationMs } = prerendered
  return [`prerendered ${countOf(pages, 'page')} in ${formatDuration(durationMs)}`]
}

export function formatDuration(durationMs: number): string {
  return durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(2)} s`
}

function formatPage({ url, kind, pageJs, js, css }: PageReport): string[] {
  return [url, kind, formatBytes(pageJs), formatBytes(js), css === 0 ? '–' : formatBytes(css)]
}

function formatBytes(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`
}

/** Formats a table: the first two columns aligned to the left, the others to the right. */
function formatTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}

/** Prints what keeps a site from being built. */
export function printProblems(problems: readonly BuildProblem[], stderr: Output) {
  for (const problem of problems) stderr.write(`${formatProblem(problem)}\n\n`)
}

export function printWarnings(warnings: readonly BuildProblem[], stderr: Output) {
  for (const warning of warnings) stderr.write(`${formatWarning(warning)}\n\n`)
}

/** The bytes that a browser fetches for a page, gzipped. */
interface PageReport {
  url: string
  /** The folders whose guards protect it, its server exports, and `prerender`; `static` without any. */
  kind: string
  /** The page's script and its imports, without the files that a layout or the entry needs as well. */
  pageJs: number
  /** Every script that the page needs when it is the first one of a visit. */
  js: number
  /** Every stylesheet that the page needs when it is the first one of a visit. */
  css: number
}

export function reportPages({ manifest, exports, values, sizes }: SiteBuild): PageReport[] {
  const sizeOf = (files: Iterable<string>) =>
    [...new Set(files)].reduce((sum, file) => sum + (sizes.get(file)?.gzipBytes ?? 0), 0)
  const scriptsOf = (file: string) => {
    const module = manifest.modules[file]
    return module ? [module.js, ...module.imports] : []
  }
  const cssOf = (file: string) => manifest.modules[file]?.css ?? []

  const serverExports = (file: string) => serverFileKeys(file).flatMap((key) => exports.get(key) ?? [])
  const withActions = (file: string) =>
    serverFileKeys(file).flatMap((key) => {
      const names = Object.keys(Object(values.get(key)?.get('actions'))).join(', ')
      return (exports.get(key) ?? []).map((name) => (name === 'actions' && names ? `actions (${names})` : name))
    })

  return manifest.routes
    .map((route) => {
      const guarded = route.layouts.filter((file) => serverExports(file).includes('guard'))
      const around = surroundingFiles(route)
      const shared = [manifest.entry, ...manifest.entryImports, ...around.flatMap(scriptsOf)]
      const isHydrated = !exports.get(route.page)?.includes('hydrate')
      const pageScripts = scriptsOf(route.page).filter((file) => !shared.includes(file))
      return {
        url: route.id,
        kind:
          guarded
            .map((file) => `guard of ${posix.dirname(file)}/`)
            .concat(withActions(route.page))
            .concat((exports.get(route.page) ?? []).filter((name) => name === 'prerender'))
            .join(', ') || 'static',
        pageJs: isHydrated ? sizeOf(pageScripts) : 0,
        js: isHydrated ? sizeOf([...shared, ...pageScripts]) : 0,
        css: sizeOf([...around, route.page].flatMap(cssOf)),
      }
    })
    .sort((a, b) => compareText(a.url, b.url))
}

function reportTotals({ sizes }: SiteBuild) {
  const all = [...sizes.values()]
  return {
    files: all.length,
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    gzipBytes: all.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0),
  }
}

/** Lists the layouts around a page, and the nearest error page of each level. */
function surroundingFiles({ layouts, errors }: RouteEntry): string[] {
  const nearest = new Map(errors.map(({ file, level }) => [level, file]))
  return [...layouts, ...nearest.values()]
}

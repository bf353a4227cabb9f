import type { SiteBuild } from '../build/build-site.ts'
import type { ImageSummary } from '../build/images/image-reader.ts'
import { type PageReport, reportPages, reportTotals } from '../build/page-report.ts'
import type { PrerenderSummary } from '../build/prerender/prerender-site.ts'
import type { SiteExport } from '../export/export-site.ts'

/** Formats the sizes of each page's files, and the totals of the build. */
export function formatReport(build: SiteBuild): string {
  const pages = reportPages(build)
  const { files, bytes, gzipBytes } = reportTotals(build)
  const rows = [['page', 'kind', 'JS', 'with shared', 'CSS'], ...pages.map(formatPage)]
  const count = pages.length === 1 ? '1 page' : `${pages.length} pages`
  return [
    ...(pages.length > 0 ? [...formatTable(rows), ''] : []),
    `${count}, ${files} files for the browser: ${formatBytes(bytes)}, ${formatBytes(gzipBytes)} gzipped`,
    ...formatImages(build.images),
    ...formatPrerendered(build.prerendered),
    ...(build.keptFiles > 0 ? [`kept for open pages: ${countFiles(build.keptFiles)} of earlier builds`] : []),
    `built in ${formatDuration(build.durationMs)}, written to ${build.folder}`,
  ].join('\n')
}

/** Formats the result of an export. */
export function formatExport({ pages, files, folder, durationMs }: SiteExport): string {
  const count = pages === 1 ? '1 page' : `${pages} pages`
  return `exported ${count}, ${countFiles(files)}, in ${formatDuration(durationMs)}, written to ${folder}`
}

function formatImages({ encoded, cached, withoutSharp }: ImageSummary): string[] {
  const copies = `images: ${countFiles(encoded + cached)} in AVIF and WebP, ${encoded} of them new`
  const count = withoutSharp === 1 ? '1 image has' : `${withoutSharp} images have`
  const hint = `images: ${count} no copies in AVIF and WebP; to make them, run "npm install --save-dev sharp"`
  return [...(encoded + cached > 0 ? [copies] : []), ...(withoutSharp > 0 ? [hint] : [])]
}

function formatPrerendered(prerendered: PrerenderSummary | null): string[] {
  if (prerendered === null) return []
  const { pages, durationMs } = prerendered
  return [`prerendered ${pages === 1 ? '1 page' : `${pages} pages`} in ${formatDuration(durationMs)}`]
}

function countFiles(count: number): string {
  return count === 1 ? '1 file' : `${count} files`
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

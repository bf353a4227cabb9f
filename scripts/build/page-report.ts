import { type RouteEntry, serverFileKeys } from '../../src/server/build-output/manifest.ts'
import { compareText } from '../build-problem.ts'
import type { SiteBuild } from './site-builder.ts'

/** What a browser fetches for a page, in bytes, gzipped. */
export interface PageReport {
  url: string
  /** What its server file exports, or `static`. */
  kind: string
  /** The page's own script and what no layout and not the entry brings as well. */
  ownJs: number
  /** All scripts of a first visit. */
  js: number
  /** All stylesheets of a first visit. */
  css: number
}

export interface BuildTotals {
  files: number
  bytes: number
  gzipBytes: number
}

export function reportPages({ manifest, exports, sizes }: SiteBuild): PageReport[] {
  const sizeOf = (files: Iterable<string>) =>
    [...new Set(files)].reduce((sum, file) => sum + (sizes.get(file)?.gzipBytes ?? 0), 0)
  const scriptsOf = (file: string) => {
    const module = manifest.modules[file]
    return module ? [module.js, ...module.imports] : []
  }
  const cssOf = (file: string) => manifest.modules[file]?.css ?? []

  return manifest.routes
    .map((route) => {
      const around = surroundingFiles(route)
      const shared = [manifest.entry, ...manifest.entryImports, ...around.flatMap(scriptsOf)]
      const own = scriptsOf(route.page).filter((file) => !shared.includes(file))
      return {
        url: route.id,
        kind:
          serverFileKeys(route.page)
            .flatMap((key) => exports.get(key) ?? [])
            .join(', ') || 'static',
        ownJs: sizeOf(own),
        js: sizeOf([...shared, ...own]),
        css: sizeOf([...around, route.page].flatMap(cssOf)),
      }
    })
    .sort((a, b) => compareText(a.url, b.url))
}

export function reportTotals({ sizes }: SiteBuild): BuildTotals {
  const all = [...sizes.values()]
  return {
    files: all.length,
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    gzipBytes: all.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0),
  }
}

/** The layouts around a page, and of each the error page that stands by for it. */
function surroundingFiles({ layouts, errors }: RouteEntry): string[] {
  const nearest = new Map(errors.map(({ file, level }) => [level, file]))
  return [...layouts, ...nearest.values()]
}

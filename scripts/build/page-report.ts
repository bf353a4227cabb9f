import { posix } from 'node:path'
import { type RouteEntry, serverFileKeys } from '../../src/server/build-output/manifest.ts'
import { compareText } from '../build-problem.ts'
import type { SiteBuild } from './build-site.ts'

/** The bytes that a browser fetches for a page, gzipped. */
export interface PageReport {
  url: string
  /**
   * The folders whose guards protect it, the exports of its server file, and `prerender` of its module; `static` without
   * any.
   */
  kind: string
  /** The page's script and its imports, without the files that a layout or the entry needs as well. */
  pageJs: number
  /** Every script that the page needs when it is the first one of a visit. */
  js: number
  /** Every stylesheet that the page needs when it is the first one of a visit. */
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

  const serverExports = (file: string) => serverFileKeys(file).flatMap((key) => exports.get(key) ?? [])

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
            .concat(serverExports(route.page))
            .concat((exports.get(route.page) ?? []).filter((name) => name === 'prerender'))
            .join(', ') || 'static',
        pageJs: isHydrated ? sizeOf(pageScripts) : 0,
        js: isHydrated ? sizeOf([...shared, ...pageScripts]) : 0,
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

/** Lists the layouts around a page, and the nearest error page of each level. */
function surroundingFiles({ layouts, errors }: RouteEntry): string[] {
  const nearest = new Map(errors.map(({ file, level }) => [level, file]))
  return [...layouts, ...nearest.values()]
}

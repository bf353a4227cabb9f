import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { eachMapping, type TraceMap } from '@jridgewell/trace-mapping'
import type { MappedBundle } from '../../build-output/loaded-bundles.ts'
import { toSitePath } from '../../util/to-site-path.ts'
import type { ServerMapFields } from './function-names.ts'
import { decodeSource, type MapFile, readMapFile } from './source-map-file.ts'

/** The source map of a bundle, with the bundle's text. */
interface LoadedMap extends MapFile<ServerMapFields> {
  code: string
  /**
   * The names that bundling changed, for each source: esbuild numbers names that collide, so `load2` may be `load`
   * there.
   */
  renamed: Map<string, Renamed>
}

/** The source's names, by the names in the bundle. */
export type Renamed = ReadonlyMap<string, string>

/** For this time, a map that could not be read is not read again. The reason may be a file that is being copied. */
const RETRY_MS = 1_000

/** Reads the source maps of bundles, each when it is needed for the first time. A broken map counts as missing. */
export function createBundleMaps(siteDir: string, bundles: readonly MappedBundle[]) {
  const maps = new WeakMap<MappedBundle, LoadedMap>()
  /** When a map could not be read, on the clock of `performance`. */
  const failed = new WeakMap<MappedBundle, number>()

  function load(bundle: MappedBundle): LoadedMap | null {
    const existing = maps.get(bundle)
    if (existing) return existing
    const now = performance.now()
    if (now - (failed.get(bundle) ?? Number.NEGATIVE_INFINITY) < RETRY_MS) return null
    const loaded = readMap(bundle, siteDir)
    if (loaded) maps.set(bundle, loaded)
    else failed.set(bundle, now)
    return loaded
  }

  /** Returns the bundles that may contain a file or a text, with their maps. */
  function* mapped(part: { file: string } | { text: string }) {
    for (const bundle of bundles) {
      const map = bundle.mayHave?.(part) === false ? null : load(bundle)
      if (map) yield { path: bundle.path, map }
    }
  }

  return {
    mapped,
    /** Returns the map of the bundle with this path; null without one, undefined for another file. */
    ofBundle(path: string): LoadedMap | null | undefined {
      const bundle = bundles.find((one) => one.path === path)
      return bundle && load(bundle)
    },
    /** Returns the source's name of a class or function. */
    originalOf(name: string): string {
      for (const { map } of mapped({ text: name })) {
        for (const renamed of map.renamed.values()) {
          const original = renamed.get(name)
          if (original !== undefined) return original
        }
      }
      return name
    },
    /** Returns the names that bundling changed in one file of the site. */
    renamedIn(path: string): Renamed | undefined {
      for (const bundle of mapped({ file: toSitePath(siteDir, path) })) {
        for (const [source, renamed] of bundle.map.renamed) {
          if (resolve(dirname(bundle.path), decodeSource(source)) === path) return renamed
        }
      }
      return undefined
    },
  }
}

function readMap(bundle: MappedBundle, siteDir: string): LoadedMap | null {
  try {
    const file = bundle.findFile()
    if (file === null) return null
    const map = bundle.completeMap?.() ?? readFileSync(`${file}.map`, 'utf8')
    const text = readFileSync(file, 'utf8')
    // A new build may have replaced the file between the two reads.
    if (bundle.findFile() !== file) return readMap(bundle, siteDir)
    const read = readMapFile<ServerMapFields>(map, dirname(bundle.path), siteDir)
    return { ...read, code: text, renamed: readRenames(read.trace, text.split('\n')) }
  } catch {
    return null
  }
}

function readRenames(map: TraceMap, lines: readonly string[]): Map<string, Renamed> {
  const renamed = new Map<string, Map<string, string>>()
  eachMapping(map, ({ generatedLine, generatedColumn, name, source }) => {
    if (name === null || source === null) return
    const token = /^[\w$]+/.exec(lines[generatedLine - 1]?.slice(generatedColumn) ?? '')?.[0]
    if (token === undefined || token === name) return
    const names = renamed.get(source) ?? new Map<string, string>()
    renamed.set(source, names.set(token, name))
  })
  return renamed
}

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ASSETS_PATH, withBase } from '../../../shared/paths.ts'
import { BUILD_PATHS } from '../../build-output/manifest.ts'
import { parseUrl } from '../../util/parse-url.ts'
import { remember } from '../../util/remember.ts'
import type { NamedMap } from './function-names.ts'
import { type MapFile, readMapFile } from './source-map-file.ts'

export type ScriptMap = MapFile<NamedMap>

/** The source maps of browser scripts. Null: the map is missing or broken. Undefined: it is no script of the site. */
interface ScriptMaps {
  /** Returns the map of the script at a complete URL. */
  ofUrl(url: string): ScriptMap | null | undefined
  /** Returns the map of the script at the path of a URL. */
  ofPath(path: string): ScriptMap | null | undefined
}

export interface ScriptMapsInput {
  siteDir: string
  /** The folder of the build. */
  folder: string
  base: string
}

/** More than most sites have: reports must not make the same maps be read repeatedly. */
const MAX_MAPS = 500

/**
 * Reads the source maps of the scripts that this build and the builds before it served to browsers. The name of a script
 * contains a hash of its content and so identifies it. No URL can make it read another file.
 */
export function createScriptMaps({ siteDir, folder, base }: ScriptMapsInput): ScriptMaps {
  const assets = withBase(base, ASSETS_PATH)
  const clientDir = join(folder, BUILD_PATHS.client)
  const maps = new Map<string, ScriptMap>()

  // A missing map is not remembered: a later build may bring it, and clients can send any name.
  function load(script: string): ScriptMap | null {
    const existing = maps.get(script)
    if (existing) return existing
    const file = join(folder, BUILD_PATHS.clientMaps, `${script}.map`)
    if (!existsSync(file)) return null
    try {
      return remember(maps, MAX_MAPS, script, readMapFile<NamedMap>(readFileSync(file, 'utf8'), clientDir, siteDir))
    } catch {
      return null
    }
  }

  function ofPath(path: string): ScriptMap | null | undefined {
    if (!path.startsWith(assets)) return undefined
    const name = path.slice(assets.length)
    return /^[\w.-]+\.js$/.test(name) ? load(name) : undefined
  }

  return {
    ofPath,
    ofUrl(url) {
      const { pathname } = parseUrl(url) ?? {}
      return pathname === undefined ? undefined : ofPath(pathname)
    },
  }
}

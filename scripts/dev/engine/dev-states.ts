import { randomBytes } from 'node:crypto'
import type { Manifest } from '../../../src/server/build-output/manifest.ts'
import type { DevUpdate } from '../../../src/shared/wire/dev-protocol.ts'
import type { BuildProblem } from '../../build-problem.ts'
import type { BrowserModules } from '../modules/browser/browser-modules.ts'
import type { PackageBundle } from '../modules/packages/package-bundle.ts'
import type { ServerModules } from '../modules/server/server-modules.ts'
import { createLiveBuild, type DevLiveBuild } from './create-live-build.ts'
import { createDevManifest, writeManifest } from './dev-manifest.ts'
import type { PublishedModules } from './pending-modules.ts'
import type { SiteStructure } from './read-structure.ts'
import type { SiteRevision } from './site-revisions.ts'

/** A site in development, at one moment. */
export interface DevState {
  manifest: Manifest
  live: DevLiveBuild
  structure: SiteStructure
  packages: PackageBundle
  warnings: readonly BuildProblem[]
}

/** A revision of the site that can be served. */
export interface ServableRevision extends SiteRevision {
  /** Whether the imports were read again. */
  isScanned: boolean
  packages: PackageBundle
}

/** A new state, and what it means for the server and for open pages. */
export interface NewState {
  state: DevState
  /**
   * Whether the server has to be created again: its routes, `server.ts` or the configuration have changed. The modules that
   * `server.ts` reaches are then evaluated again.
   */
  isNewServer: boolean
  /** Whether modules of the server have changed. */
  isChanged: boolean
  /** The modules that open pages import again; null if they have to be loaded again. */
  modules: DevUpdate['modules'] | null
  /** Whether open pages run their loads again. */
  data: boolean
}

export interface DevStatesInput {
  /** The folder that the manifest is written to. */
  folder: string
  browser: BrowserModules
  server: ServerModules
}

export function createDevStates({ folder, browser, server }: DevStatesInput) {
  const buildId = randomBytes(8).toString('hex')
  let last: DevState | null = null
  let lastKey = ''
  let isRestart = false
  /** The modules that `server.ts` of the last server reaches. */
  let reached: readonly string[] = []

  return {
    /** Returns the last state; null before the first one. */
    last: () => last,
    /** Makes the next state create the server again. */
    restart() {
      isRestart = true
    },
    next({ structure, scan, packages, isScanned }: ServableRevision, { modules, dirty }: PublishedModules) {
      const before = last
      const isSame = before !== null && !isScanned && before.packages === packages
      const manifest = isSame ? before.manifest : createDevManifest(structure, buildId, packages, browser)
      const key = isSame && structure.exports === before.structure.exports ? lastKey : stateKey(manifest, structure)
      const { serverPlugin } = manifest
      const isNewServer = isRestart || key !== lastKey || (serverPlugin !== null && dirty.has(serverPlugin))
      if (isNewServer) {
        // The `onClose` hooks of the last server close what these modules have opened.
        server.invalidate(reached)
        reached = serverPlugin === null ? [] : server.reach(serverPlugin)
      }
      const live =
        isNewServer || !before ? createLiveBuild({ folder, manifest, structure, modules: server }) : before.live
      live.expire(dirty)
      if (key !== lastKey) writeManifest(folder, manifest)
      const state = { manifest, live, structure, packages, warnings: [...structure.warnings, ...scan.warnings] }
      const isReload = before === null || hasOtherModules(before, state)
      const data = isNewServer || structure.site.serverFiles.some(({ file }) => dirty.has(file))
      last = state
      lastKey = key
      isRestart = false
      return { state, isNewServer, isChanged: dirty.size > 0, modules: isReload ? null : modules, data }
    },
  }
}

/** Returns whether pages of a state have scripts of packages, or settings, that modules of the next one do not have. */
function hasOtherModules(state: DevState, next: DevState): boolean {
  if (state.packages.settingsKey !== next.packages.settingsKey) return true
  const files = new Set(next.packages.files)
  return (
    state.packages.files.some((name) => !files.has(name)) || state.structure.config.key !== next.structure.config.key
  )
}

/** Returns a text that changes when the server has to be created again. */
function stateKey(manifest: Manifest, { exports, config }: SiteStructure): string {
  const lasting = [...exports].map(([file, names]) => [
    file,
    ...['action', 'guard'].filter((name) => names.includes(name)),
  ])
  return JSON.stringify([manifest, lasting, config.key])
}

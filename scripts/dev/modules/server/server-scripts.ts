import { rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { MappedBundle } from '../../../../src/server/build-output/manifest.ts'
import { contentHash } from '../../../build/esbuild/assets.ts'
import { createServerOutput } from '../../../build/output/complete-server-output.ts'
import type { CompiledServerModule } from './compile-server-module.ts'

/** A module as it is on the disk, for stack traces and debuggers. */
export interface ServerScript extends MappedBundle {
  code: string
  /** Whether newer code is in its place. Its own code may still run, for example in a timer. */
  isReplaced: boolean
}

export interface ServerScripts {
  /** All scripts whose code may run. The list is kept up to date. */
  readonly list: readonly MappedBundle[]
  /** Writes the script of a module. */
  add(id: string, compiled: CompiledServerModule): ServerScript
  /** Must be called when a module has a newer script. Removes the oldest replaced script if there are too many. */
  retire(script: ServerScript): void
}

/** How many replaced scripts are kept for code that still runs, such as timers. */
const MAX_REPLACED = 50

/** Matches code with a component that may have no name. */
const UNNAMED = /\b(?:memo|forwardRef)\d*\)?\(|^var \w+_default = [\w(]/m

/** @param serverDir The folder that scripts and their maps are written to. */
export function createServerScripts(serverDir: string, siteDir: string): ServerScripts {
  const list: MappedBundle[] = []
  const replaced: ServerScript[] = []
  return {
    list,
    add(id, compiled) {
      // Modules of Hydrant have a name and no file.
      const source = id.startsWith('hydrant-') ? id : relative(serverDir, resolve(siteDir, id))
      const script = writeScript(serverDir, id, { ...compiled, map: withSource(compiled.map, source) })
      list.push(script)
      return script
    },
    retire(script) {
      script.isReplaced = true
      replaced.push(script)
      const oldest = replaced.length > MAX_REPLACED ? replaced.shift() : undefined
      if (!oldest) return
      list.splice(list.indexOf(oldest), 1)
      // A file that got its earlier contents again has the same script.
      if (list.some(({ path }) => path === oldest.path)) return
      for (const file of [oldest.path, `${oldest.path}.map`]) rmSync(file, { force: true })
    },
  }
}

function writeScript(serverDir: string, id: string, compiled: CompiledServerModule): ServerScript {
  const { map } = compiled
  const name = id.replace(/[^\w.-]+/g, '-').slice(-80)
  const path = join(serverDir, `${name}-${contentHash(id, compiled.code, map)}.cjs`)
  const complete = () => createServerOutput(compiled.code, map, serverDir, id)
  const code = UNNAMED.test(compiled.code) ? complete().code : compiled.code
  writeFileSync(path, code)
  writeFileSync(`${path}.map`, map)
  return {
    path,
    code,
    isReplaced: false,
    findFile: () => path,
    completeMap: () => complete().map,
    mayHave(part) {
      if (this.isReplaced) return false
      return 'file' in part ? part.file === id : code.includes(part.text)
    },
  }
}

function withSource(map: string, source: string): string {
  // esbuild wrote the map.
  return JSON.stringify({ ...(JSON.parse(map) as object), sources: [source] })
}

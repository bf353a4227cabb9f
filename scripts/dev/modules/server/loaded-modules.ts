import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { MappedBundle } from '../../../../src/server/build-output/manifest.ts'
import { toSource } from '../../../../src/server/failures/stacks/source-map-file.ts'
import { REMOVE } from '../../../../src/server/util/paths.ts'
import { contentHash } from '../../../build/esbuild/assets.ts'
import { createServerOutput } from '../../../build/output/complete-server-output.ts'
import type { Recompiled } from '../recompiled.ts'
import { hasNewImport, type SiteGraph } from '../site-graph.ts'
import type { CompiledServerModule, ServerCompiler } from './compile-server-module.ts'

export interface LoadedModule {
  compiled: CompiledServerModule
  script: ServerScript
}

/** Compiles modules when the server needs them, and keeps the results with their scripts. */
export function createLoadedModules(compiler: () => ServerCompiler, scripts: ServerScripts) {
  const modules = new Map<string, LoadedModule>()
  const loading = new Map<string, Promise<LoadedModule>>()
  const first = new Set<string>()

  function add(id: string, compiled: CompiledServerModule): LoadedModule {
    const loaded = { compiled, script: scripts.add(id, compiled) }
    modules.set(id, loaded)
    return loaded
  }

  function remove(id: string) {
    const loaded = modules.get(id)
    modules.delete(id)
    first.delete(id)
    if (loaded) scripts.retire(loaded.script)
  }

  async function compile(id: string): Promise<LoadedModule> {
    const known = modules.get(id)
    if (known) return known
    const compiled = await compiler().server(id)
    first.add(id)
    return add(id, compiled)
  }

  return {
    /** The scripts whose code may run. The list is kept up to date. */
    scripts: scripts.list,
    /** Returns a module, and compiles it once, also when several requests need it. Rejects with esbuild's BuildFailure. */
    load(id: string): Promise<LoadedModule> {
      const pending = loading.get(id) ?? compile(id).finally(() => loading.delete(id))
      loading.set(id, pending)
      return pending
    },
    /** Resolves when none of the modules is being compiled for a request. */
    async settled(ids: readonly string[]) {
      await Promise.allSettled(ids.map((id) => loading.get(id)))
    },
    /** Returns a module as it was compiled last; undefined if no request has needed it. */
    find: (id: string): CompiledServerModule | undefined => modules.get(id)?.compiled,
    /** Returns whether a module is as a request first needed it. Its file may have changed after the last scan. */
    isFirst: (id: string) => first.has(id),
    /** Keeps a module as it is after a change of its file. It keeps its script if the code is the same. */
    replace(id: string, compiled: CompiledServerModule) {
      first.delete(id)
      if (!isDifferent(modules.get(id)?.compiled, compiled)) return
      remove(id)
      add(id, compiled)
    },
    /** Forgets all modules except some. */
    keep(isKept: (id: string) => boolean) {
      for (const id of [...modules.keys()]) if (!isKept(id)) remove(id)
    },
  }
}

/** A module that has been compiled again. `before` is undefined if no request has needed it. */
export interface ServerChange {
  id: string
  before: CompiledServerModule | undefined
  after: CompiledServerModule
  /** Whether no change of its file was reported before. Then `before` may be newer than the last scan. */
  isFirst: boolean
}

/** Returns whether a module has to be evaluated again. A comment counts: it changes the lines of stacks. */
function isDifferent(before: CompiledServerModule | undefined, after: CompiledServerModule): boolean {
  return before?.code !== after.code || before.map !== after.map
}

export function describeServerChanges(saved: readonly ServerChange[], graph: SiteGraph): Omit<Recompiled, 'failed'> {
  const isNew = ({ id, before, after, isFirst }: ServerChange) =>
    (before === undefined || isFirst) && hasNewImport(graph, id, after)
  const changes = saved.filter((change) => isDifferent(change.before, change.after) || isNew(change))
  return {
    changed: changes.map(({ id }) => id),
    needsScan: changes.some((change) => isNew(change) || hasOtherSpecifiers(change)),
    needsCheck: saved.some((change) =>
      isDifferent(change.before, change.after) ? hasOtherNames(change) : change.isFirst,
    ),
  }
}

function hasOtherSpecifiers({ before, after }: ServerChange): boolean {
  const importsOf = ({ specifiers, expressions }: CompiledServerModule) => [...specifiers, ...expressions].join()
  return before !== undefined && importsOf(before) !== importsOf(after)
}

function hasOtherNames({ before, after }: ServerChange): boolean {
  return namesInCode(before?.code) !== namesInCode(after.code)
}

/** Returns the names that a script imports and exports, as a text to compare: `import_db.find`, `load: () => load`. */
function namesInCode(code = ''): string {
  const names = code.match(/\bimport_\w+\.[\w$]+|^ {2}[\w$]+: \(\) => .*$/gm) ?? []
  return [...new Set([...names, ...classNamesIn(code)])].sort().join()
}

const CSS_MODULE = /^var (import_\w+) = .*\brequire\("[^"]*\.module\.\w+"\)/gm

/** Returns the uses of classes: `import_card.default.title`, `{ title } = import_card.default`. */
function classNamesIn(code: string): readonly string[] {
  const variables = [...code.matchAll(CSS_MODULE)].map(([, variable]) => variable)
  if (variables.length === 0) return []
  const module = `\\b(?:${variables.join('|')})\\.default\\b`
  const member = '\\??\\.[\\w$]+|(?:\\?\\.)?\\["[^"]*"\\]'
  return code.match(new RegExp(`${module}(?:${member})|\\{[^{}]*\\} = ${module}`, 'g')) ?? []
}

/** A module as it is on the disk, for stack traces and debuggers. */
interface ServerScript extends MappedBundle {
  code: string
  /** Whether newer code is in its place. Its own code may still run, for example in a timer. */
  isReplaced: boolean
}

type ServerScripts = ReturnType<typeof createServerScripts>

/** How many replaced scripts are kept for code that still runs, such as timers. */
const MAX_REPLACED = 50

/** Matches code with a component that may have no name. */
const UNNAMED = /\b(?:memo|forwardRef)\d*\)?\(|^var \w+_default = [\w(]/m

/** @param serverDir The folder that scripts and their maps are written to. */
export function createServerScripts(serverDir: string, siteDir: string) {
  const list: MappedBundle[] = []
  const replaced: ServerScript[] = []
  return {
    /** All scripts whose code may run. The list is kept up to date. */
    list,
    /** Writes the script of a module. */
    add(id: string, compiled: CompiledServerModule): ServerScript {
      // Modules of Hydrant have a name and no file.
      const source = id.startsWith('hydrant-') ? id : toSource(serverDir, resolve(siteDir, id))
      const script = writeScript(serverDir, id, { ...compiled, map: withSource(compiled.map, source) })
      list.push(script)
      return script
    },
    /** Must be called when a module has a newer script. Removes the oldest replaced script if there are too many. */
    retire(script: ServerScript) {
      script.isReplaced = true
      replaced.push(script)
      const oldest = replaced.length > MAX_REPLACED ? replaced.shift() : undefined
      if (!oldest) return
      list.splice(list.indexOf(oldest), 1)
      // A file that got its earlier contents again has the same script.
      if (list.some(({ path }) => path === oldest.path)) return
      for (const file of [oldest.path, `${oldest.path}.map`]) rmSync(file, REMOVE)
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

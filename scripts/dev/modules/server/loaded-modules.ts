import type { MappedBundle } from '../../../../src/server/build-output/loaded-bundles.ts'
import type { CompiledServerModule, ServerCompiler } from './compile-server-module.ts'
import { isDifferent } from './server-changes.ts'
import type { ServerScript, ServerScripts } from './server-scripts.ts'

export interface LoadedModule {
  compiled: CompiledServerModule
  script: ServerScript
}

/** Compiles modules when the server needs them, and keeps the results with their scripts. */
export interface LoadedModules {
  /** The scripts whose code may run. The list is kept up to date. */
  readonly scripts: readonly MappedBundle[]
  /** Returns a module, and compiles it once, also when several requests need it. Rejects with esbuild's BuildFailure. */
  load(id: string): Promise<LoadedModule>
  /** Resolves when none of the modules is being compiled for a request. */
  settled(ids: readonly string[]): Promise<void>
  /** Returns a module as it was compiled last; undefined if no request has needed it. */
  find(id: string): CompiledServerModule | undefined
  /** Returns whether a module is as a request first needed it. Its file may have changed after the last scan. */
  isFirst(id: string): boolean
  /** Keeps a module as it is after a change of its file. It keeps its script if the code is the same. */
  replace(id: string, compiled: CompiledServerModule): void
  /** Forgets all modules except some. */
  keep(isKept: (id: string) => boolean): void
}

export function createLoadedModules(compiler: () => ServerCompiler, scripts: ServerScripts): LoadedModules {
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
    scripts: scripts.list,
    load(id) {
      const pending = loading.get(id) ?? compile(id).finally(() => loading.delete(id))
      loading.set(id, pending)
      return pending
    },
    async settled(ids) {
      await Promise.allSettled(ids.map((id) => loading.get(id)))
    },
    find: (id) => modules.get(id)?.compiled,
    isFirst: (id) => first.has(id),
    replace(id, compiled) {
      first.delete(id)
      if (!isDifferent(modules.get(id)?.compiled, compiled)) return
      remove(id)
      add(id, compiled)
    },
    keep(isKept) {
      for (const id of [...modules.keys()]) if (!isKept(id)) remove(id)
    },
  }
}

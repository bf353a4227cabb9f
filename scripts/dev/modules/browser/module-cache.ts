import type { BrowserCompiler } from './browser-compiler.ts'
import type { BrowserModule } from './read-browser-module.ts'

/** Compiles modules when browsers need them, and keeps the results. */
export interface ModuleCache {
  /** Returns a module. Rejects with esbuild's BuildFailure, and compiles the module again next time. */
  get(id: string): Promise<BrowserModule>
  /** Resolves when none of the modules is being compiled for a request. */
  settled(ids: readonly string[]): Promise<void>
  /** The current modules that browsers may have. */
  readonly known: ReadonlyMap<string, BrowserModule>
  /** Returns whether a module is as a request first needed it. Its file may have changed after the last scan. */
  isFirst(id: string): boolean
  /** Keeps a module as it is after a change of its file. */
  replace(id: string, module: BrowserModule): void
  /** Forgets all modules except some. */
  keep(isKept: (id: string) => boolean): void
}

export function createModuleCache(compiler: () => BrowserCompiler): ModuleCache {
  const compiled = new Map<string, Promise<BrowserModule>>()
  const known = new Map<string, BrowserModule>()
  const first = new Set<string>()
  return {
    known,
    async settled(ids) {
      await Promise.allSettled(ids.map((id) => compiled.get(id)))
    },
    isFirst: (id) => first.has(id),
    async get(id) {
      const pending = compiled.get(id) ?? compiler().browser(id)
      compiled.set(id, pending)
      try {
        const module = await pending
        if (compiled.get(id) === pending) {
          if (!known.has(id)) first.add(id)
          known.set(id, module)
        }
        return module
      } catch (error) {
        if (compiled.get(id) === pending) compiled.delete(id)
        throw error
      }
    },
    replace(id, module) {
      compiled.set(id, Promise.resolve(module))
      known.set(id, module)
      first.delete(id)
    },
    keep(isKept) {
      for (const kept of [compiled, known, first]) for (const id of kept.keys()) if (!isKept(id)) kept.delete(id)
    },
  }
}

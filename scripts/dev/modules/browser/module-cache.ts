import type { BrowserCompiler } from './browser-compiler.ts'
import type { BrowserModule } from './read-browser-module.ts'

/** Compiles modules when browsers need them, and keeps the results. */
export interface ModuleCache {
  /** Returns a module. Rejects with esbuild's BuildFailure, and compiles the module again next time. */
  get(id: string): Promise<BrowserModule>
  /** The current modules that browsers may have. */
  readonly known: ReadonlyMap<string, BrowserModule>
  replace(id: string, module: BrowserModule): void
  /** Forgets all modules except some. */
  keep(isKept: (id: string) => boolean): void
}

export function createModuleCache(compiler: () => BrowserCompiler): ModuleCache {
  const compiled = new Map<string, Promise<BrowserModule>>()
  const known = new Map<string, BrowserModule>()
  return {
    known,
    async get(id) {
      const pending = compiled.get(id) ?? compiler().browser(id)
      compiled.set(id, pending)
      try {
        const module = await pending
        if (compiled.get(id) === pending) known.set(id, module)
        return module
      } catch (error) {
        if (compiled.get(id) === pending) compiled.delete(id)
        throw error
      }
    },
    replace(id, module) {
      compiled.set(id, Promise.resolve(module))
      known.set(id, module)
    },
    keep(isKept) {
      for (const map of [compiled, known]) for (const id of map.keys()) if (!isKept(id)) map.delete(id)
    },
  }
}

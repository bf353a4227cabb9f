import { compileAll } from '../recompiled.ts'
import type { BrowserCompiler, Stylesheet } from './read-browser-module.ts'

/** Compiles stylesheets when browsers need them, and keeps the results. */
export interface Stylesheets {
  /** Returns the CSS of a stylesheet. Rejects with esbuild's BuildFailure, and compiles it again next time. */
  read(id: string): Promise<string>
  /**
   * Compiles the stylesheets again that consist of one of these files. Returns them, and whether there are warnings about
   * them or were some before.
   *
   * @param isUsed Whether the site has a stylesheet. Others wait for the return of their files.
   */
  recompile(
    inputs: readonly string[],
    isUsed: (id: string) => boolean,
  ): Promise<{ changed: { id: string; css: string }[]; needsCheck: boolean }>
  /** The errors of the stylesheets that could not be compiled again, by id. */
  readonly failed: ReadonlyMap<string, unknown>
  /** Returns whether a file is part of a stylesheet that was compiled. */
  isInput(id: string): boolean
  clear(): void
}

export function createStylesheets(compiler: () => BrowserCompiler): Stylesheets {
  const compiled = new Map<string, Promise<Stylesheet>>()
  /** The files of each stylesheet. They are kept when it no longer compiles. */
  const inputsOf = new Map<string, readonly string[]>()
  const failed = new Map<string, unknown>()
  /** The stylesheets with warnings. */
  const doubtful = new Set<string>()
  /** The stylesheets that consist of each file. */
  const usersOf = new Map<string, Set<string>>()

  function setInputs(id: string, inputs: readonly string[]) {
    for (const input of inputsOf.get(id) ?? []) usersOf.get(input)?.delete(id)
    inputsOf.set(id, inputs)
    for (const input of inputs) usersOf.set(input, (usersOf.get(input) ?? new Set()).add(id))
  }

  async function read(id: string): Promise<string> {
    const pending = compiled.get(id) ?? compiler().stylesheet(id)
    compiled.set(id, pending)
    try {
      const { css, inputs, hasWarnings } = await pending
      setInputs(id, inputs)
      if (hasWarnings) doubtful.add(id)
      else doubtful.delete(id)
      return css
    } catch (error) {
      if (compiled.get(id) === pending) compiled.delete(id)
      throw error
    }
  }

  return {
    failed,
    read,
    async recompile(files, isUsed) {
      // The files of a stylesheet are unknown while it is compiled for a request.
      await Promise.allSettled(compiled.values())
      const stale = new Set(files.flatMap((input) => [...(usersOf.get(input) ?? [])]))
      const isDoubtful = () => [...stale].some((id) => doubtful.has(id))
      const wasDoubtful = isDoubtful()
      for (const id of stale) compiled.delete(id)
      const used = [...stale].filter(isUsed)
      const result = await compileAll(used, read)
      for (const id of stale) failed.delete(id)
      for (const [id, error] of result.failed) failed.set(id, error)
      const changed = result.compiled.map(({ id, after }) => ({ id, css: after }))
      return { changed, needsCheck: wasDoubtful || isDoubtful() }
    },
    isInput: (id) => (usersOf.get(id)?.size ?? 0) > 0,
    clear() {
      compiled.clear()
      failed.clear()
      doubtful.clear()
      inputsOf.clear()
      usersOf.clear()
    },
  }
}

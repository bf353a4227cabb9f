/** The result of compiling modules again. */
export interface Recompiled {
  /** The ids of the modules that differ. */
  changed: string[]
  /** Whether the set of imported modules has changed. The graph of the site then has to be created again. */
  needsScan: boolean
  /** Whether imported or exported names may have changed. A module may then import a name that is not exported. */
  needsCheck: boolean
  /** The errors of the modules that cannot be compiled, by id. They stay as they were. */
  failed: ReadonlyMap<string, unknown>
}

export interface CompiledAll<Module> {
  compiled: { id: string; after: Module }[]
  failed: Map<string, unknown>
}

export async function compileAll<Module>(
  ids: readonly string[],
  compile: (id: string) => Promise<Module>,
): Promise<CompiledAll<Module>> {
  const failed = new Map<string, unknown>()
  const compiled = await Promise.all(
    ids.map(async (id) => {
      try {
        return [{ id, after: await compile(id) }]
      } catch (error) {
        failed.set(id, error)
        return []
      }
    }),
  )
  return { compiled: compiled.flat(), failed }
}

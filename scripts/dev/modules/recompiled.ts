/** The result of compiling modules again. */
export interface Recompiled {
  /** The ids of the modules that differ. */
  changed: string[]
  /** Whether the set of imported modules has changed. The graph of the site then has to be created again. */
  needsScan: boolean
  /** Whether imported or exported names may have changed. A module may then import a name that is not exported. */
  needsCheck: boolean
}

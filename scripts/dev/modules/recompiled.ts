/** The result of compiling modules again. */
export interface Recompiled {
  /** The ids of the modules that differ. */
  changed: string[]
  /** Whether modules are imported that were not, or no longer: the graph of the site has to be made again. */
  needsScan: boolean
  /** Whether imported or exported names may have changed, so that an import may lack its export. */
  needsCheck: boolean
}

/**
 * The data from which the rest of a partly static document is rendered. It is plain data, so processes can share it.
 */
export interface ShellRest {
  /** React's state as JSON; null if the shell lacks nothing. */
  state: string | null
  /**
   * Results of `serialize`: the data of the layouts, of the page, and its extras. The extras contain the
   * promise of the visitor's data, whose id is `VISITOR_ID`.
   */
  data: readonly string[]
  /** The values of the other promises in the data: results of `fulfilledText`. */
  settlements: readonly string[]
  /** The id of the next promise. */
  nextId: number
}

/** The id of the promise of the visitor's data, in a shell and in its rest. */
export const VISITOR_ID = 1

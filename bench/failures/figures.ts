/** Rates are compared within a turn of a quarter of a second. */
export interface FailureFigures {
  /** The rate of a failing page as a share of the rate of the same page when it works, one item per turn. */
  shares: readonly { page: string; part: string; headers: string; ratios: readonly number[] }[]
  /** The cost of a failure by Hydrant and by hand, in working pages. */
  byHand: { own: readonly number[]; byHand: readonly number[] }
  storm: StormFigures
  /** The failures in the ledger and the lines in the log. */
  ledger: { failures: number; occurrences: number; logged: number }
}

/** Working pages during many other requests, compared with working pages without them, one item per part. */
export interface StormFigures {
  requests: number
  seconds: number
  /** The share that working pages keep next to requests that do not fail. */
  nextToWorking: readonly number[]
  /** The share that working pages keep next to failures. */
  nextToFailing: readonly number[]
  /** Resident memory in MB before the failures, the most during them, and after them. */
  memoryMb: readonly [before: number, most: number, after: number]
}

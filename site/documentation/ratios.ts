/** How many times better Hydrant is than other servers, from the record of the benchmark. */
export interface Ratios {
  /** The day of the measurement: `2026-11-23`. */
  date: string
  commit: string
  /** The processor and Node.js in words. */
  machine: string
  /** The names of the compared servers, in the order of the ratios. */
  servers: readonly string[]
  figures: readonly Figure[]
}

export interface Figure {
  /** The title as in the tables of the benchmark: `small page`. */
  title: string
  /** Above 1, Hydrant is better. Null if a server has no such figure. */
  ratios: readonly (number | null)[]
}

/** The responses that are compared, in the order in which they take turns. */
export const RESPONSES = ['stored', 'stale', 'missed', 'uncached', 'route', 'short route', 'bare'] as const
export type ResponseName = (typeof RESPONSES)[number]

export const ENCODINGS = ['none', 'br', 'gzip'] as const
export type EncodingName = (typeof ENCODINGS)[number]

export interface CacheFigures {
  runs: readonly CacheRun[]
  /** The first byte of a stored page, and as a multiple of it that of a stored shell. Earlier records have none. */
  firstBytes?: Readonly<Partial<Record<EncodingName, FirstBytes>>>
}

/** One item per turn. */
export interface FirstBytes {
  ms: number[]
  ratios: number[]
}

/** Requests per second of processor time for each response, one item per turn. */
export interface CacheRun {
  workers: number
  encoding: EncodingName
  /** The bare Fastify has no workers. */
  rates: Readonly<Partial<Record<ResponseName, readonly number[]>>>
}

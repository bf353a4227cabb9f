/** The responses that are compared, in the order in which they take turns. */
export const RESPONSES = ['stored', 'stale', 'missed', 'uncached', 'route', 'short route', 'bare'] as const
export type ResponseName = (typeof RESPONSES)[number]

export const ENCODINGS = ['none', 'br', 'gzip'] as const
export type EncodingName = (typeof ENCODINGS)[number]

export interface CacheFigures {
  runs: readonly CacheRun[]
}

/** Requests per second of processor time for each response, one item per turn. */
export interface CacheRun {
  workers: number
  encoding: EncodingName
  /** The bare Fastify has no workers. */
  rates: Readonly<Partial<Record<ResponseName, readonly number[]>>>
}

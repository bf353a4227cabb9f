import type { Options } from '../../../src/server/options/options.ts'

/**
 * Returns the options of a server that renders pages into files: without what concerns visitors, operators and other
 * servers.
 *
 * @param atATime How many pages are rendered at the same time.
 */
export function renderingOptions(options: Options, atATime: number): Options {
  const { limits } = options
  return {
    ...options,
    hosts: [],
    ledger: false,
    onFailure: null,
    trustProxy: false,
    proxyStripsBase: false,
    logRequests: false,
    limits: { ...limits, maxEventLoopDelayMs: 0, maxRenders: Math.max(limits.maxRenders, atATime) },
  }
}

import type { FastifyRequest } from 'fastify'
import type { LayoutChain } from '../build-output/load-build.ts'

/** The layouts around the error of a request, if not all of its modules can be loaded. */
const chains = new WeakMap<FastifyRequest, LayoutChain>()

/** Makes an error of the request be shown inside these layouts. */
export function setWorkingChain(request: FastifyRequest, chain: LayoutChain): void {
  chains.set(request, chain)
}

export function workingChainOf(request: FastifyRequest): LayoutChain | undefined {
  return chains.get(request)
}

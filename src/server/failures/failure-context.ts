import type { FastifyRequest } from 'fastify'
import type { Phase } from '../errors/failure-record.ts'
import type { PublicAddress } from '../http/public-address.ts'
import type { SourceFunction } from './digest.ts'

/** The request that a failure belongs to. */
export interface FailureSubject {
  request: FastifyRequest
  /** The site's route, as the developer writes it: `/products/[id]`. */
  route: string
  address: PublicAddress
}

/** React's stack of the components around a place. React makes it when it is read, at the cost of half a page. */
export interface Components {
  readonly componentStack?: string | null | undefined
}

export interface FailureContext {
  phase: Phase
  /** The status that has gone out already, for a failure within a stream. */
  statusSent?: number
  /** What the deadline found unfinished. */
  pending?: readonly string[]
  /** React's stacks of the components that it found unfinished. */
  pendingComponents?: readonly string[]
  /** Where it happened, for what carries no stack of its own: a file of the site and a function in it. */
  place?: SourceFunction
  components?: Components
}

export interface Failure {
  digest: string
  /** 504 for a deadline that passed, else 500. */
  status: number
}

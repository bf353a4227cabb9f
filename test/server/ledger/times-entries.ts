import { BOUNDS_MS, type SlowRequest, type StepTimes } from '../../../src/server/ledger/times.ts'
import { NOW } from './entries.ts'

/** Returns the times of a place with the properties that a test needs. */
export function place(subject: string, given: Partial<StepTimes> = {}): StepTimes {
  return {
    route: '/products/[id]',
    kind: 'load',
    subject,
    count: 3,
    sumMs: 30,
    maxMs: 12.5,
    blockedMs: 0.25,
    bytes: 1_000,
    maxBytes: 700,
    counts: [...BOUNDS_MS, 0].map((_, index) => Number(index === 20) * 3),
    ...given,
  }
}

export function slowRequest(id: string, given: Partial<SlowRequest> = {}): SlowRequest {
  return {
    ...{ id, time: NOW, route: '/products/[id]', method: 'GET', path: '/products/7', status: 200 },
    ...{ durationMs: 250.5, bytes: 4_000, cache: null, release: 'r1' },
    steps: [
      { kind: 'load', subject: 'a.server.ts:1', startMs: 0.5, durationMs: 200, blockedMs: 0, bytes: 90, inside: null },
    ],
    ...given,
  }
}

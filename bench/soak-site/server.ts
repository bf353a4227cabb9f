import { queryObjects } from 'node:v8'
import type { FastifyInstance } from 'fastify'
import type { State } from '../soak/state.ts'
import { objectKinds } from './object-kinds.ts'

export default async function server(app: FastifyInstance) {
  app.get('/soak/fail', async () => {
    throw new Error('soak: a route throws.')
  })

  app.get<{ Querystring: { objects?: string } }>('/soak/state', async ({ query }): Promise<State> => {
    // Collects twice: the second collection frees the objects that the first one finalized.
    global.gc?.()
    global.gc?.()
    return {
      memory: process.memoryUsage(),
      resources: countEach(process.getActiveResourcesInfo()),
      objects: query.objects === undefined ? {} : countObjects(),
    }
  })
}

function countObjects(): Record<string, number> {
  return Object.fromEntries(
    Object.entries(objectKinds).map(([name, kind]) => [name, queryObjects(kind, { format: 'count' })]),
  )
}

function countEach(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

// What the actions have done, for the test, and gates at which they wait for it.

import type { FastifyInstance } from 'fastify'

interface Done {
  path: string
  method?: string
  entries?: [string, string][]
  type?: string | undefined
  body?: unknown
  text?: string | null
  name?: string
}

declare module 'fastify' {
  interface FastifyInstance {
    done(entry: Done): void
    /** The number of actions that are done. */
    count(): number
    /** Resolves when the test requests `/open`. */
    wait(): Promise<void>
    /** Resolves when the test requests `/gates/NAME`. */
    gate(name: string): Promise<void>
    /** What the test has requested with `/set`. */
    settings: { load?: 'redirect' | 'failure' | 'refusal' | 'data'; reviews?: 'slow' | 'fast' }
    texts: string[]
  }
  interface FastifyRequest {
    /** What fails behind the action. */
    fails?: string | undefined
  }
}

export function addDone(app: FastifyInstance) {
  const done: Done[] = []
  const gates = new Map<string, () => void>()
  const wait = (name: string) => new Promise<void>((resolve) => void gates.set(name, resolve))
  function open(name: string): boolean {
    gates.get(name)?.()
    return gates.delete(name)
  }
  app.decorate('done', (entry: Done) => void done.push(entry))
  app.decorate('count', () => done.length)
  app.decorate('wait', () => wait('action'))
  app.decorate('gate', (name: string) => wait(`gate ${name}`))
  app.decorate('settings', {})
  app.decorate('texts', [])
  app.get('/done', async () => done)
  app.get('/open', async () => open('action'))
  app.get<{ Params: { name: string } }>('/gates/:name', async ({ params }) => open(`gate ${params.name}`))
  app.get('/set', async ({ query }) => Object.assign(app.settings, query))
}

export function textOf(form: FormData, name: string): string | null {
  const value = form.get(name)
  return typeof value === 'string' ? value : null
}

/** Returns the names and texts of a form; for a file its name and content. */
export async function entriesOf(form: FormData): Promise<[string, string][]> {
  const entries: [string, string][] = []
  for (const [name, value] of form)
    entries.push([name, typeof value === 'string' ? value : `${value.name}: ${await value.text()}`])
  return entries
}

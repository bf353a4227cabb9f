// Runs a plugin in a Fastify instance and as the `server.ts` of a site, and compares the responses to the same requests.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import fp from 'fastify-plugin'
import { createServer } from '../../../src/server/create-server.ts'
import { buildFiles, createLog, writeFiles } from '../served.ts'

type Plugin = (app: FastifyInstance) => Promise<void> | void

/** A plugin as the text of a function expression, and requests to its routes. */
export interface Case {
  plugin: string
  requests: readonly (string | InjectOptions)[]
}

/** Headers that a site adds to each response. */
export const ADDED = ['date', 'x-request-id', 'x-content-type-options', 'x-error-digest']

/** Builds a site whose `server.ts` is the plugin of a case. */
export async function buildBesideFastify(dir: string): Promise<string> {
  return buildFiles(dir, {
    'pages/about.tsx': 'export default function Page() {\n  return <p>about</p>\n}\n',
    'server.ts': 'export default async function server(app) {\n  await globalThis.hydrantTestPlugin(app)\n}\n',
  })
}

/**
 * Returns the responses that differ, or the errors of the start.
 *
 * @param imports Code before the plugin.
 */
export async function compare(dir: string, name: string, { plugin, requests }: Case, imports = ''): Promise<string[]> {
  const file = `plugins/${name.replaceAll(/\W+/g, '-')}.mjs`
  writeFiles(dir, { [file]: `${imports}export default ${plugin}\n` })
  const { default: run } = (await import(pathToFileURL(join(dir, file)).href)) as { default: Plugin }
  const plain = await respond(requests, () => startPlain(run))
  const site = await respond(requests, () => startSite(dir, run))
  return plain.flatMap((expected, index) =>
    expected === site[index]
      ? []
      : [`${name} ${JSON.stringify(requests[index] ?? 'start')}\n  Fastify ${expected}\n  site    ${site[index]}`],
  )
}

async function startPlain(run: Plugin): Promise<FastifyInstance> {
  const app = Fastify({ logger: createLog().logger })
  app.register(fp(async (instance) => run(instance)))
  await app.ready()
  return app
}

async function startSite(dir: string, run: Plugin): Promise<FastifyInstance> {
  Object.assign(globalThis, { hydrantTestPlugin: run })
  return createServer({ dir, ledger: false, logger: createLog().logger })
}

async function respond(requests: Case['requests'], start: () => Promise<FastifyInstance>): Promise<string[]> {
  try {
    const app = await start()
    const responses: string[] = []
    for (const request of requests) {
      const { statusCode, headers, body } = await app.inject(request)
      // A response that sets a cookie is kept out of shared caches.
      const added = 'set-cookie' in headers ? [...ADDED, 'cache-control'] : ADDED
      const others = Object.entries(headers).filter(([header]) => !added.includes(header))
      responses.push(JSON.stringify([statusCode, others.sort(), body]))
    }
    await app.close()
    return responses
  } catch (error) {
    if (requests.length > 0) throw error
    return [String(error)]
  }
}

// Imports each app that is named on the command line, requests its routes, and closes it.

import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { FastifyInstance } from 'fastify'

const problems: (string | null)[] = []
for (const file of process.argv.slice(2)) problems.push(await findProblem(file))
process.send?.(problems, () => process.exit(0))

async function findProblem(file: string): Promise<string | null> {
  try {
    // The test appends this export to each app.
    const { app } = (await import(pathToFileURL(file).href)) as { app: FastifyInstance }
    const problem = await request(app, readFileSync(file, 'utf8'))
    await app.close()
    return problem
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}

/** Requests a page of the site, the routes of the app and the metrics of its console. */
async function request(app: FastifyInstance, code: string): Promise<string | null> {
  const routes = [...code.matchAll(/app\.get\("([^":]+)"/g)].map(([, path = '']) => path)
  for (const url of ['/products/7', ...routes]) {
    const { statusCode, body } = await app.inject({ url, headers: { accept: 'text/html' } })
    if (statusCode !== 200) return `${url} answers ${statusCode}: ${body}`
  }
  for (const [, prefix] of code.matchAll(/prefix: "([^"]+)"/g)) {
    const { statusCode } = await app.inject(`${prefix}/metrics`)
    // Without a token or credentials.
    if (statusCode !== 401) return `${prefix}/metrics answers ${statusCode}`
  }
  return null
}

// Compiles, builds and serves a site that a document shows.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer } from 'hydrant'
import type { Test } from 'tap'
import { runCli } from '../scripts/run-cli.ts'
import { createTypedSite, findTypeErrors } from '../types/typed-site.ts'
import { linkDocumentedPackages } from './documented-packages.ts'
import { type SampleSite, toDocumentPlaces } from './sample-sites.ts'

/** The newest compiler. */
export const TSC = { name: 'tsc', command: join(process.cwd(), 'node_modules/.bin/tsc') }
/** A value for every parameter of a route. */
const PARAMETER = '7'

/** Returns a line for each problem, with its place in the document. */
export async function findProblems(t: Test, site: SampleSite): Promise<string[]> {
  const dir = createTypedSite(t, site.files)
  linkDocumentedPackages(dir)
  const { code, stderr } = await runCli(['build'], { cwd: dir })
  if (code !== 0) return [toDocumentPlaces(site.blocks, stderr)]
  const errors = await findTypeErrors(TSC, dir)
  if (errors.length > 0) return errors.map((line) => toDocumentPlaces(site.blocks, line))
  return await requestPages(t, site.document, dir)
}

/** Requests each page. Returns the pages whose status is not the one that the document promises. */
async function requestPages(t: Test, document: string, dir: string): Promise<string[]> {
  const app = await createServer({ dir, ledger: false, logger: false })
  t.teardown(() => app.close())
  const problems: string[] = []
  for (const route of routesIn(dir)) {
    const url = route.replace(/\[[^\]]+\]/g, PARAMETER)
    const { statusCode, body } = await app.inject({ url, headers: { accept: 'text/html' } })
    const expected = STATUS[`${document} ${route}`] ?? 200
    if (statusCode !== expected) problems.push(`${document}: ${url} answers ${statusCode}: ${body.slice(0, 400)}`)
  }
  return problems
}

/** Statuses that a document promises for its pages, other than 200. */
const STATUS: Readonly<Record<string, number>> = {
  'site/pages/docs/failures.tsx /members': 403,
}

function routesIn(dir: string): string[] {
  const types = readFileSync(join(dir, 'hydrant-env.d.ts'), 'utf8')
  return [...types.matchAll(/^ +'(\/[^']*)': /gm)].map(([, route = '']) => route)
}

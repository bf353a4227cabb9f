// Compiles, builds and serves a site that a document shows.

import { join } from 'node:path'
import { createServer } from 'hydrant'
import type { Test } from 'tap'
import { runCli } from '../../scripts/run-cli.ts'
import { createTypedSite, findTypeErrors } from '../../types/typed-site.ts'
import { linkDocumentedPackages } from './documented-packages.ts'
import { listRequests } from './promised-requests.ts'
import { type SampleSite, toDocumentPlaces } from './sample-sites.ts'

/** The newest compiler. */
export const TSC = { name: 'tsc', command: join(process.cwd(), 'node_modules/.bin/tsc') }

/** Returns a line for each problem, with its place in the document. */
export async function findProblems(t: Test, site: SampleSite): Promise<string[]> {
  const dir = createTypedSite(t, site.files)
  linkDocumentedPackages(dir)
  const { code, stderr } = await runCli(['build'], { cwd: dir })
  if (code !== 0) return [toDocumentPlaces(site.blocks, stderr)]
  const errors = await findTypeErrors(TSC, dir)
  if (errors.length > 0) return errors.map((line) => toDocumentPlaces(site.blocks, line))
  return await sendRequests(t, site, dir)
}

/** Returns a line for each response whose status is not the one that the document promises. */
async function sendRequests(t: Test, site: SampleSite, dir: string): Promise<string[]> {
  const app = await createServer({ dir, ledger: false, logger: false })
  t.teardown(() => app.close())
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const problems: string[] = []
  for (const { url, status, form } of listRequests(site, dir)) {
    const body = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
    const answer = await fetch(origin + url, { headers: { accept: 'text/html' }, redirect: 'manual', ...body })
    if (answer.status !== status)
      problems.push(`${site.document}: ${url} answers ${answer.status}: ${await answer.text()}`)
    // An event stream does not end by itself.
    else await answer.body?.cancel()
  }
  return problems
}

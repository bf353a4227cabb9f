// Builds, compiles and serves the sites that the documents show.

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { createServer } from 'hydrant'
import type { Test } from 'tap'
import { BuildError } from '../../../scripts/build-problem.ts'
import { formatProblem } from '../../../scripts/terminal/format-error.ts'
import { buildSharing } from '../../shared-compression.ts'
import { findErrorsOfProjects, TSC, writeTypedSite } from '../../types/typed-site.ts'
import { WITHOUT_HYDRATION } from '../../without-hydration.ts'
import { linkDocumentedPackages } from './documented-packages.ts'
import { listRequests } from './promised-requests.ts'
import { type SampleSite, toDocumentPlaces } from './sample-sites.ts'

/** A server that is closed waits half a second for requests on connections that stay open. */
const HEADERS = { accept: 'text/html', connection: 'close' }

export interface CheckedSite {
  site: SampleSite
  dir: string
  /** A line for each problem that was found without serving the site, with its place in the document. */
  problems: readonly string[]
}

/** Writes and builds the sites, each in its own folder, and compiles them together. */
export async function checkSites(folder: string, sites: readonly SampleSite[]): Promise<CheckedSite[]> {
  // The sites find the packages in the folder around them.
  linkDocumentedPackages(folder)
  const checked: CheckedSite[] = []
  for (const [index, site] of sites.entries()) {
    const dir = writeTypedSite(join(folder, `site-${index}`), { ...packagesOf(site), ...site.files })
    cpSync('test/fixtures/docs/images', join(dir, 'images'), { recursive: true })
    checked.push({ site, dir, problems: await build(site, dir) })
  }
  const built = checked.filter(({ problems }) => problems.length === 0)
  const projects = built.map(({ dir }) => join(dir, 'tsconfig.json'))
  const errors = await findErrorsOfProjects(TSC, folder, projects)
  for (const [index, one] of built.entries())
    one.problems = (errors[index] ?? []).map((line) => toDocumentPlaces(one.site.blocks, line))
  return checked
}

/** A site that uses React DOM itself gets the installed package. */
function packagesOf({ files }: SampleSite): Record<string, string> {
  return Object.values(files).some((text) => text.includes('react-dom')) ? {} : WITHOUT_HYDRATION
}

async function build(site: SampleSite, dir: string): Promise<string[]> {
  try {
    await buildSharing({ dir })
    return []
  } catch (error) {
    if (!(error instanceof BuildError)) throw error
    return error.problems.map((problem) => toDocumentPlaces(site.blocks, formatProblem(problem)))
  }
}

/** Returns a line for each problem, with its place in the document. */
export async function findProblems(t: Test, { site, dir, problems }: CheckedSite): Promise<readonly string[]> {
  return problems.length > 0 ? problems : await sendRequests(t, site, dir)
}

/** Returns a line for each response whose status is not the one that the document promises. */
async function sendRequests(t: Test, site: SampleSite, dir: string): Promise<string[]> {
  const app = await createServer({ dir, ledger: false, logger: false })
  t.teardown(() => app.close())
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const problems: string[] = []
  for (const { url, status, form, file, contains } of listRequests(site, dir)) {
    const body = form === undefined ? {} : { method: 'POST', body: bodyOf(form, file) }
    const answer = await fetch(origin + url, { headers: HEADERS, redirect: 'manual', ...body })
    if (answer.status === status && contains === undefined) {
      // An event stream does not end by itself.
      await answer.body?.cancel()
      continue
    }
    const text = await answer.text()
    if (answer.status !== status || !text.includes(contains ?? ''))
      problems.push(`${site.document}: ${url} answers ${answer.status}: ${text}`)
  }
  return problems
}

function bodyOf(form: string, file: string | undefined): URLSearchParams | FormData {
  const fields = new URLSearchParams(form)
  if (file === undefined) return fields
  const body = new FormData()
  for (const [name, value] of fields) body.set(name, value)
  body.set(file, new File(['a cup'], 'cup.jpg'))
  return body
}

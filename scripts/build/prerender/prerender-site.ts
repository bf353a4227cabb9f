import { fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PACKAGE_FOLDER } from '../../../src/server/util/paths.ts'
import { type BuildProblem, createProblem, lineAt, type SourceLocation } from '../../build-problem.ts'
import { PRERENDER_ARGUMENT } from '../../prerender-argument.ts'
import { findExport } from '../bundles/read-exports.ts'
import type { PrerenderMessage, PrerenderProblem } from './render-address.ts'

export interface PrerenderInput {
  /** The folder of the build, which is complete. */
  folder: string
  siteDir: string
  onProgress(done: number, total: number): void
}

export interface PrerenderSummary {
  pages: number
  durationMs: number
}

type Ended = Exclude<PrerenderMessage, { kind: 'progress' }>

/** Renders the pages that export `prerender`, in another process: the site may keep connections or change globals. */
export async function prerenderSite(input: PrerenderInput): Promise<PrerenderSummary | { problems: BuildProblem[] }> {
  const startedAt = performance.now()
  const ended = await run(input)
  if (ended.kind === 'done') return { pages: ended.pages, durationMs: performance.now() - startedAt }
  return { problems: await Promise.all(ended.problems.map((problem) => place(problem, input.siteDir))) }
}

function run({ folder, siteDir, onProgress }: PrerenderInput): Promise<Ended> {
  return new Promise((resolve) => {
    const child = fork(join(PACKAGE_FOLDER, 'dist/scripts/cli.js'), [PRERENDER_ARGUMENT, folder, siteDir], {
      // React is loaded for production, as in `hydrant start`.
      env: { ...process.env, NODE_ENV: 'production' },
      execArgv: [],
      // Standard output belongs to the build.
      stdio: ['ignore', 2, 2, 'ipc'],
    })
    const stop = (how: string) =>
      resolve({
        kind: 'failed',
        problems: [{ ...createProblem('HYD_PRERENDER_STOPPED', [how]), about: null }],
      })
    // `prerender.ts` sends messages of this type only.
    child.on('message', (message: PrerenderMessage) => {
      if (message.kind === 'progress') onProgress(message.done, message.total)
      else resolve(message)
    })
    child.on('error', (error) => stop(error.message))
    // If the last message has arrived before this, the promise is resolved already.
    child.on('close', (code, signal) => stop(signal === null ? `the exit code ${code}` : `the signal ${signal}`))
  })
}

async function place({ about, ...problem }: PrerenderProblem, siteDir: string): Promise<BuildProblem> {
  const { location } = problem
  if (location !== null) return { ...problem, location: await addLine(location, siteDir) }
  return about === null ? problem : { ...problem, location: await findExport(siteDir, about.file, about.name) }
}

async function addLine(location: SourceLocation, siteDir: string): Promise<SourceLocation> {
  const text = await readFile(join(siteDir, location.file), 'utf8').catch(() => '')
  return { ...location, lineText: lineAt(text, location.line ?? 0) }
}

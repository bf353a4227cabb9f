import { createEnvFiles } from '../../src/server/options/env-files.ts'
import { buildSite } from '../build/build-site.ts'
import { BuildError } from '../build-problem.ts'
import { createProgress } from '../terminal/text.ts'
import type { CommandInput } from './command-input.ts'
import { formatReport, printProblems, printWarnings } from './format-report.ts'

/** Runs `hydrant build`. Prints each problem before it throws the BuildError that contains them. */
export async function runBuild({ dir, note, terminal: { stdout, stderr, env } }: CommandInput): Promise<void> {
  if (note !== null) stderr.write(`${note}\n`)
  // The configuration is evaluated here, and reads them.
  createEnvFiles(dir, 'production', env).load()
  const progress = createProgress(stdout, 'hydrant build')
  try {
    const build = await buildSite({ dir, onProgress: progress.step })
    progress.end()
    printWarnings(build.warnings, stderr)
    stdout.write(`${formatReport(build)}\n`)
  } catch (error) {
    progress.end()
    if (error instanceof BuildError) printProblems(error.problems, stderr)
    throw error
  }
}

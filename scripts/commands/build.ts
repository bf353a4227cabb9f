import { createEnvFiles } from '../../src/server/options/env-files.ts'
import { buildSite } from '../build/build-site.ts'
import { BuildError } from '../build-problem.ts'
import { formatProblem, formatWarning } from '../terminal/format-problem.ts'
import { formatReport } from '../terminal/format-report.ts'
import { createProgress } from '../terminal/progress.ts'

/** Runs `hydrant build`. Prints each problem before it throws the BuildError that contains them. */
export async function runBuild(dir: string, _flags: object, note: string | null): Promise<void> {
  if (note !== null) console.error(note)
  // The configuration is evaluated here, and reads them.
  createEnvFiles(dir, 'production', process.env).load()
  const progress = createProgress(process.stdout, 'hydrant build')
  try {
    const build = await buildSite({ dir, onProgress: progress.step })
    progress.end()
    for (const warning of build.warnings) console.error(`${formatWarning(warning)}\n`)
    console.log(formatReport(build))
  } catch (error) {
    progress.end()
    if (error instanceof BuildError) for (const problem of error.problems) console.error(`${formatProblem(problem)}\n`)
    throw error
  }
}

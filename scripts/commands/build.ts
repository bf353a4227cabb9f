import { createEnvFiles } from '../../src/server/options/env-files.ts'
import { buildSite } from '../build/build-site.ts'
import { BuildError } from '../build-problem.ts'
import { createProgress } from '../terminal/progress.ts'
import { formatReport } from './format-report.ts'
import { printProblems, printWarnings } from './print-problems.ts'

/** Runs `hydrant build`. Prints each problem before it throws the BuildError that contains them. */
export async function runBuild(dir: string, _flags: object, note: string | null): Promise<void> {
  if (note !== null) console.error(note)
  // The configuration is evaluated here, and reads them.
  createEnvFiles(dir, 'production', process.env).load()
  const progress = createProgress(process.stdout, 'hydrant build')
  try {
    const build = await buildSite({ dir, onProgress: progress.step })
    progress.end()
    printWarnings(build.warnings)
    console.log(formatReport(build))
  } catch (error) {
    progress.end()
    if (error instanceof BuildError) printProblems(error.problems)
    throw error
  }
}

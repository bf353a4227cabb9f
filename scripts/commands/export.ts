import { createHydrantError, showValue } from '../../src/server/errors/hydrant-error.ts'
import { createEnvFiles } from '../../src/server/options/env-files.ts'
import { parseUrl } from '../../src/server/util/addresses.ts'
import { BuildError } from '../build-problem.ts'
import { exportSite } from '../export/export-site.ts'
import { createProgress, quoteWord } from '../terminal/text.ts'
import type { CommandInput } from './command-input.ts'
import { formatExport, printProblems, printWarnings } from './format-report.ts'

export interface ExportFlags {
  out?: string
  origin: string
  base?: string
  folders?: boolean
}

/** The time that modules of the site have to close what keeps the process running. */
const CLOSE_MS = 500

/** Runs `hydrant export`. Prints each problem before it throws the BuildError that contains them. */
export async function runExport({ dir, flags, note, terminal }: CommandInput<ExportFlags>): Promise<void> {
  const { stdout, stderr, env } = terminal
  if (note !== null) stderr.write(`${note}\n`)
  const origin = readOrigin(flags.origin)
  createEnvFiles(dir, 'production', env).load()
  const progress = createProgress(stdout, 'hydrant export')
  try {
    const { out, base, folders = false } = flags
    const exported = await exportSite({ dir, out, origin, base, inFolders: folders, onProgress: progress.step })
    progress.end()
    printWarnings(exported.build.warnings, stderr)
    stdout.write(`${formatExport(exported)}\n`)
  } catch (error) {
    progress.end()
    if (error instanceof BuildError) printProblems(error.problems, stderr)
    throw error
  } finally {
    // Modules of the site may keep connections open.
    setTimeout(() => process.exit(), CLOSE_MS).unref()
  }
}

/** Documents contain their own URL, so the origin has to be known. Throws HYD_OPTION_INVALID. */
function readOrigin(origin: string): string {
  const url = parseUrl(origin)
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && !/[?#@]/.test(url.href)
  if (isWeb && url.pathname === '/') return url.origin
  const expected = `an origin such as "https://example.com"${isWeb ? ', without a path' : ''}`
  const error = createHydrantError('HYD_OPTION_INVALID', ['--origin', expected, showValue(origin)])
  error.fix = isWeb
    ? `Pass the path as the base: --origin ${url.origin} --base ${quoteWord(url.pathname.replace(/\/$/, ''))}.`
    : 'Correct the value of --origin.'
  throw error
}

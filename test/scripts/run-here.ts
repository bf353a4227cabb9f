import { runProgram } from '../../scripts/program.ts'

/** Runs a command, but none that serves or exports a site, in this process. Its working directory is that of the tests. */
export async function runHere(args: readonly string[], variables: Record<string, string> = {}) {
  const [stdout, stderr] = [collect(), collect()]
  // As for a command that is a process.
  const { NODE_ENV: _, PORT: __, HOST: ___, ...own } = process.env
  const code = await runProgram(args, { stdout, stderr, env: { ...own, HYDRANT_ADMIN: 'false', ...variables } })
  return { code, stdout: stdout.texts.join(''), stderr: stderr.texts.join('') }
}

function collect() {
  const texts: string[] = []
  return { texts, write: (text: string) => texts.push(text) }
}

// Reads commands with bash, which runs none of them.

import { spawnSync } from 'node:child_process'
import { type CodeBlock, placeOf } from './code-block.ts'

export interface ShellCommand {
  /** Its place in the document. */
  place: string
  /** The program and its arguments. */
  words: string[]
  /** The variables that are set for it. */
  env: Record<string, string>
}

/** Programs that the documents use besides Hydrant. */
const PROGRAMS =
  'cd cp curl docker grep hydrant install jq kubectl mkdir node npm npx python3 ssh systemctl tsc wget'.split(' ')

/** Functions that take the place of the programs, and write their words and variables to the output. */
const RECORDER = `
record() {
  local words variables name
  printf -v words '%s\\x1d' "\${BASH_LINENO[1]}" "$@"
  for name in \${!HYDRANT_*} PORT HOST LOG_LEVEL NODE_ENV; do
    printf -v variables '%s%s=%s\\x1d' "$variables" "$name" "\${!name}"
  done
  printf '%s\\x1e%s\\x1f' "$words" "$variables" >&3
}
${PROGRAMS.map((name) => `${name}() { record ${name} "$@"; }`).join('\n')}
`
/** The lines before the script, which bash counts, too. */
const LINES_BEFORE = RECORDER.split('\n').length - 1

/** Returns all commands of a block, and the problem if bash cannot read it or it has a program that is not above. */
export function readCommands(block: CodeBlock): { commands: ShellCommand[]; problem: string | null } {
  const commands: ShellCommand[] = []
  for (const { line, text } of scriptsIn(block)) {
    const script = text.replace(/\S*node_modules\/\.bin\/hydrant/g, 'hydrant')
    const { stdout, stderr } = runRecorded(script)
    const place = (lineInScript: number) => placeOf(block, line - LINES_BEFORE + lineInScript - 1)
    commands.push(...parseRecords(stdout, place))
    const [, wrong, message] = /line (\d+): (.*)/s.exec(stderr) ?? []
    if (stderr !== '') return { commands, problem: `${place(Number(wrong))}: ${message ?? stderr}` }
  }
  return { commands, problem: null }
}

function runRecorded(script: string): { stdout: string; stderr: string } {
  const { output, stderr } = spawnSync('/bin/bash', ['--norc', '-c', `${RECORDER}eval "$0"`, script], {
    env: { PATH: '' },
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  return { stdout: output[3] ?? '', stderr }
}

function parseRecords(records: string, place: (line: number) => string): ShellCommand[] {
  return records
    .split('\x1f')
    .filter((record) => record !== '')
    .map((record) => {
      const [words = '', variables = ''] = record.split('\x1e')
      const [line, ...rest] = words.split('\x1d').slice(0, -1)
      const pairs = variables.split('\x1d').map((pair) => pair.split(/=(.*)/s))
      const env = pairs.filter(([, value]) => value).map(([name = '', value = '']) => [name, value])
      return { place: place(Number(line)), words: rest, env: Object.fromEntries(env) }
    })
}

/** Returns the parts of a block that are commands, each with its line in the block. */
function scriptsIn({ language, path, text }: CodeBlock): { line: number; text: string }[] {
  if (language === 'sh' && path === '') return [{ line: 1, text }]
  const lines = text.split('\n').map((line, index) => ({ line: index + 1, text: line }))
  const commandIn = (pattern: RegExp) =>
    lines.flatMap(
      ({ line, text }) =>
        pattern
          .exec(text)
          ?.slice(1)
          .map((command) => ({ line, text: command })) ?? [],
    )
  if (path === 'Dockerfile') return commandIn(/^RUN (.+)$/)
  if (path.endsWith('.service')) return commandIn(/^ExecStart=(.+)$/)
  if (language === 'json') return scriptsInPackage(text).map((script) => ({ line: 1, text: script }))
  // A session in a terminal.
  return language === '' || language === 'text' ? commandIn(/^\$ (.+)$/) : []
}

function scriptsInPackage(text: string): string[] {
  const { scripts = {} } = JSON.parse(text) as { scripts?: Record<string, string> }
  return Object.values(scripts)
}

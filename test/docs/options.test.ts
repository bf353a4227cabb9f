import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { type OptionSources, resolveOptions } from '../../src/server/options/options.ts'

/** Options that only the build reads. */
const BUILD_OPTIONS = ['esbuild']

/** Options that cannot be typed. */
const CODE_OPTIONS = ['onFailure', 'traceOf']
/** Options that stand for a whole group. */
const SWITCHES = ['admin']

// Tests run in the project's folder.
const documented = readOptions(readFileSync('docs/options.md', 'utf8'))
const defaults = flatten({ ...resolveOptions({}) })

t.test('every option has a heading', async (t) => {
  for (const name of [...defaults.keys(), ...SWITCHES, ...BUILD_OPTIONS]) t.ok(documented.has(name), name)
})

t.test('every heading is an option', async (t) => {
  for (const name of documented.keys()) {
    t.ok([...defaults.keys(), ...SWITCHES, ...BUILD_OPTIONS].includes(name), name)
    t.doesNotThrow(() => resolveOptions({ config: configOf(name, undefined) }), name)
  }
})

t.test('the documented defaults are those of the code', async (t) => {
  for (const [name, value] of defaults) {
    const [written] = codeIn(documented.get(name)?.get('default'))
    t.equal(written?.replace(/^'|'$/g, ''), Array.isArray(value) ? JSON.stringify(value) : String(value), name)
  }
})

t.test('values are described as in the error for a wrong one', async (t) => {
  for (const name of defaults.keys()) {
    t.equal(documented.get(name)?.get('value'), expectedBy({ config: configOf(name, Symbol('wrong')) }, name), name)
  }
})

t.test('every name of an environment variable is read, and a wrong value has the same error', async (t) => {
  for (const name of [...defaults.keys(), ...SWITCHES]) {
    const variables = codeIn(documented.get(name)?.get('environment'))
    t.equal(variables.length > 0, !CODE_OPTIONS.includes(name), name)
    for (const variable of variables) {
      const expected = expectedBy({ env: { [variable]: '\0' } }, variable)
      t.equal(documented.get(name)?.get('value'), expected, variable)
    }
  }
})

t.test('the flags are those of the command line', async (t) => {
  for (const command of ['start', 'dev']) {
    const own = [...documented.values()].filter((fields) => holdsFor(command, fields.get('holds')))
    const written = own.flatMap((fields) => codeIn(fields.get('flag')))
    const help = execFileSync(process.execPath, ['dist/scripts/cli.js', command, '--help'], { encoding: 'utf8' })
    const flags = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag ?? '')
    t.strictSame(written.sort(), flags.filter((flag) => flag !== '--help').sort(), command)
  }
})

/** Returns the fields (`- default: …`) below each heading of the third level. */
function readOptions(markdown: string): Map<string, Map<string, string>> {
  const [, ...parts] = markdown.split(/^### /m)
  return new Map(
    parts.map((part) => {
      const name = part.slice(0, part.indexOf('\n')).trim()
      const fields = [...part.matchAll(/^- (\w+): ((?:.|\n {2})*)/gm)]
      return [name, new Map(fields.map(([, field = '', text = '']) => [field, text.replace(/\s+/g, ' ').trim()]))]
    }),
  )
}

function holdsFor(command: string, holds = ''): boolean {
  return holds.startsWith('everywhere') || codeIn(holds).includes(`hydrant ${command}`)
}

function codeIn(text = ''): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '')
}

function flatten(values: Record<string, unknown>, prefix = ''): Map<string, unknown> {
  const entries = Object.entries(values).flatMap(([name, value]): [string, unknown][] =>
    isRecord(value) ? [...flatten(value, `${prefix}${name}.`)] : [[prefix + name, value]],
  )
  return new Map(entries)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function configOf(name: string, value: unknown): Record<string, unknown> {
  const [first = '', second] = name.split('.')
  return second === undefined ? { [first]: value } : { [first]: { [second]: value } }
}

/** Returns the expected value that an error names. */
function expectedBy(sources: OptionSources, source: string): string {
  try {
    resolveOptions(sources)
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const start = `"${source}" must be `
    if (message.startsWith(start)) return message.slice(start.length, message.lastIndexOf('; got '))
  }
  return `no error for ${source}`
}

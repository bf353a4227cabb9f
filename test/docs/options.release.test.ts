import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { type OptionSources, resolveOptions } from '../../src/server/options/resolve-options.ts'
import { rules } from '../../src/server/options/rules.ts'

/** Options that only the build or the dev server reads. */
const BUILD_OPTIONS = ['esbuild', 'reactCompiler', 'strictMode']
/** Flags that are no options: docs/commands.md describes them. */
const OTHER_FLAGS = ['--help', '--poll']

// Tests run in the project's folder.
const documented = readOptions(readFileSync('docs/options.md', 'utf8'))
const options = Object.entries(rules)

t.test('every option has a heading, and every heading is an option', async (t) => {
  t.strictSame([...documented.keys()].sort(), [...Object.keys(rules), ...BUILD_OPTIONS].sort())
})

t.test('defaults are those of the rules', async (t) => {
  const written = options.map(([name]) => [
    name,
    codeIn(documented.get(name)?.get('default'))[0]?.replace(/^'|'$/g, ''),
  ])
  const textOf = (value: unknown) => (Array.isArray(value) ? JSON.stringify(value) : String(value))
  t.strictSame(
    written,
    options.map(([name, { fallback }]) => [name, textOf(fallback)]),
  )
})

t.test('values are described as the error for a wrong one does', async (t) => {
  const expected = options.map(([name, rule]) => [name, rule.expected])
  t.strictSame(
    options.map(([name]) => [name, documented.get(name)?.get('value')]),
    expected,
  )
  // In code, `admin` is a boolean or a group of options.
  const isSimple = ([name]: readonly unknown[]) => name !== 'admin'
  t.strictSame(
    options.filter(isSimple).map(([name]) => [name, expectedBy({ config: configOf(name, Symbol('wrong')) }, name)]),
    expected.filter(isSimple),
  )
})

t.test('every name in the environment is read, and says the same of a wrong value', async (t) => {
  const variablesOf = (name: string) => codeIn(documented.get(name)?.get('environment'))
  const isWrong = ([name, { isCode }]: (typeof options)[number]) => variablesOf(name).length > 0 === Boolean(isCode)
  t.strictSame(options.filter(isWrong), [])
  const variables = options.flatMap(([name, { expected }]) =>
    variablesOf(name).map((variable) => ({ variable, expected })),
  )
  t.strictSame(
    variables.map(({ variable }) => [variable, expectedBy({ env: { [variable]: '\0' } }, variable)]),
    variables.map(({ variable, expected }) => [variable, expected]),
  )
})

t.test('an option that has an effect everywhere is one of every site', async (t) => {
  const everywhere = options.filter(([name]) => documented.get(name)?.get('where')?.startsWith('everywhere'))
  t.ok(everywhere.length > 0)
  t.strictSame(
    everywhere.filter(([, { scope }]) => scope !== 'site'),
    [],
  )
})

t.test('the flags are those of the command line', async (t) => {
  for (const command of ['start', 'dev']) {
    const own = [...documented.values()].filter((fields) => appliesTo(command, fields.get('where')))
    const written = own.flatMap((fields) => codeIn(fields.get('flag')))
    const help = execFileSync(process.execPath, ['dist/scripts/cli.js', command, '--help'], { encoding: 'utf8' })
    const flags = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag ?? '')
    t.strictSame(written.sort(), flags.filter((flag) => !OTHER_FLAGS.includes(flag)).sort(), command)
  }
})

/** The fields (`- default: …`) below each heading of the third level. */
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

function appliesTo(command: string, where = ''): boolean {
  return where.startsWith('everywhere') || codeIn(where).includes(`hydrant ${command}`)
}

function codeIn(text = ''): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '')
}

function configOf(name: string, value: unknown): Record<string, unknown> {
  const [first = '', second] = name.split('.')
  return second === undefined ? { [first]: value } : { [first]: { [second]: value } }
}

/** What an error says that the value should have been. */
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

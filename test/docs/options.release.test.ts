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
  for (const [name, { fallback }] of options) {
    const [written] = codeIn(documented.get(name)?.get('default'))
    t.equal(written?.replace(/^'|'$/g, ''), Array.isArray(fallback) ? JSON.stringify(fallback) : String(fallback), name)
  }
})

t.test('values are described as the error for a wrong one does', async (t) => {
  for (const [name, { expected }] of options) {
    t.equal(documented.get(name)?.get('value'), expected, name)
    // In code, `admin` is a boolean or a group of options.
    if (name !== 'admin') t.equal(expectedBy({ config: configOf(name, Symbol('wrong')) }, name), expected, name)
  }
})

t.test('every name in the environment is read, and says the same of a wrong value', async (t) => {
  for (const [name, { expected, isCode }] of options) {
    const variables = codeIn(documented.get(name)?.get('environment'))
    t.equal(variables.length > 0, !isCode, name)
    for (const variable of variables) t.equal(expectedBy({ env: { [variable]: '\0' } }, variable), expected, variable)
  }
})

t.test('an option that has an effect everywhere is one of every site', async (t) => {
  for (const [name, { scope }] of options)
    if (documented.get(name)?.get('where')?.startsWith('everywhere')) t.equal(scope, 'site', name)
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

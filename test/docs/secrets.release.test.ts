// No code that a reader may copy has a default for a secret, or runs without one.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'

const COPIED = ['README.md', 'SECURITY.md', 'docs', 'examples', 'templates', 'site', 'console', 'test/fixtures']
const NAME = String.raw`\w*(?:SECRET|KEY|TOKEN|PASSWORD|PASSPHRASE|PEPPER|SALT)\w*`
const DEFAULTS = new RegExp(
  [
    // `process.env.SESSION_KEY ?? 'a default'`, also in brackets, with `||`, and with the operators that assign.
    String.raw`\b${NAME}['"\`]?\]?\)?\s*(?:\?\?|\|\|)=?(?!\s*\w+\) throw\b)(?! !)`,
    // `const { SESSION_KEY = 'a default' } = process.env`, also under another name.
    String.raw`[{,]\s*${NAME}(?:\s*:\s*\w+)?\s*=(?!=)[^}=]*\}\s*=\s*(?:process\.|import\.meta\.)?env\b`,
    // A shell, a Dockerfile or a compose file: `${SESSION_KEY:-a default}`.
    String.raw`\$\{${NAME}:?[-=][^}]`,
    String.raw`^\s*(?:ENV|ARG|export|-)\s+${NAME}[=:]\s*['"]?\w`,
    // A key that the code contains.
    String.raw`Buffer\.(?:alloc\(\d+, *|from\()['"\`]`,
    String.raw`\bsecret\s*:\s*\[?\s*['"]`,
    String.raw`\bcreateHmac\(\s*['"]\w+['"],\s*['"]`,
    // A schema of the environment: `SESSION_KEY: z.string().default('a default')`.
    String.raw`\b${NAME}['"]?\s*:[^,\n]*\bdefault\(`,
  ].join('|'),
  'm',
)
/** Only `hydrant dev` and tests read these files. */
const DEVELOPMENT_FILE = /(?:^|\/)\.env\.development$/
const ENV_FILE = /(?:^|\/)(?:\.env[^/]*|[^/]+\.env)$/

function findDefault(path: string, text: string): string[] {
  if (DEVELOPMENT_FILE.test(path)) return []
  const [found] = DEFAULTS.exec(text) ?? (ENV_FILE.test(path) ? (new RegExp(`^${NAME}=.+`, 'm').exec(text) ?? []) : [])
  return found === undefined ? [] : [`${path}: ${found.trim()}`]
}

const READ = new RegExp(String.raw`\{([^{}]*)\}\s*=\s*process\.env\b|\bprocess\.env(?:\.|\[['"\`])${NAME}`, 'g')
/** Between the reading of a secret and its check there are only the checks of others. */
const NEAR = 300

/** Finds secrets that code reads from the environment, and does not refuse to run without. */
function findUnchecked(path: string, text: string): string[] {
  return [...text.matchAll(READ)].flatMap(({ index, 0: read, 1: names }) => {
    const next = text.slice(index + read.length, index + read.length + NEAR)
    const secrets = names?.match(new RegExp(NAME, 'g')) ?? []
    const isChecked = (name: string) => next.includes(`if (!${name}) throw new Error('Set ${name}`)
    return names !== undefined && secrets.every(isChecked) ? [] : [`${path}: ${read}`]
  })
}

const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...COPIED], {
  encoding: 'utf8',
})
const files = paths.trim().split('\n')

t.test('no document, example, template or site has a default for a secret', async (t) => {
  t.ok(files.length > 200)
  t.strictSame(
    files.flatMap((path) => findDefault(path, readFileSync(path, 'utf8'))),
    [],
  )
})

t.test('no document, example, template or site runs without its secrets', async (t) => {
  t.strictSame(
    files.flatMap((path) => findUnchecked(path, readFileSync(path, 'utf8'))),
    [],
  )
})

t.test('every form of a default is found', async (t) => {
  const forms = [
    "key: process.env.SESSION_KEY ?? Buffer.alloc(32, 'only for development')",
    "process.env['JWT_SECRET'] || 'a default'",
    "(process.env.AUTH_TOKEN) ?? ''",
    "process.env.APP_KEY ??= 'a default'",
    "const { STAFF_PASSWORD = 'oolong' } = process.env",
    "const { PORT = '3000', SESSION_KEY: key = 'a default' } = process.env",
    'SESSION_KEY: $' + '{SESSION_KEY:-changeme}',
    'ENV COOKIE_SECRET=changeme',
    "const key = Buffer.from('only for development')",
    "await app.register(jwt, { secret: 'a default' })",
    "await app.register(cookie, { secret: ['a default'] })",
    "createHmac('sha256', 'a default')",
    "const schema = z.object({ SESSION_KEY: z.string().default('a default') })",
  ]
  t.strictSame(
    forms.filter((text) => findDefault('server.ts', text).length === 0),
    [],
  )
  t.strictSame(findDefault('production.env', 'SESSION_KEY=abc\n').length, 1)
})

t.test('every way to run without a secret is found', async (t) => {
  const check = "if (!APP_KEY) throw new Error('Set APP_KEY, …')"
  for (const [text, found] of [
    ['const { APP_KEY } = process.env', 1],
    ['const { PORT, APP_KEY } = process.env', 1],
    ['const { APP_KEY: key } = process.env', 1],
    ['await app.register(cookie, { secret: process.env.COOKIE_SECRET })', 1],
    ["const key = process.env['APP_KEY'] ? 1 : 2", 1],
    [`if (headers.authorization !== \`Bearer \${process.env.APP_KEY}\`) return`, 1],
    [`const { APP_KEY } = process.env\n${check}`, 0],
    [`const { APP_KEY, APP_SALT } = process.env\n${check}`, 1],
    ['const { PORT } = process.env', 0],
  ] as const)
    t.equal(findUnchecked('server.ts', text).length, found, text)
})

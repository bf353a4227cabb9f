// No code that a reader may copy has a default for a secret.

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

t.test('no document, example, template or site has a default for a secret', async (t) => {
  const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...COPIED], {
    encoding: 'utf8',
  })
  const files = paths.trim().split('\n')
  t.ok(files.length > 200)
  t.strictSame(
    files.flatMap((path) => findDefault(path, readFileSync(path, 'utf8'))),
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
  ]
  t.strictSame(
    forms.filter((text) => findDefault('server.ts', text).length === 0),
    [],
  )
  t.strictSame(findDefault('production.env', 'SESSION_KEY=abc\n').length, 1)
})

import { existsSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { findContainer } from '../../scripts/commands/info.ts'
import { buildSharing } from '../shared-compression.ts'
import { createSite } from './create-site.ts'
import { runHere } from './run-here.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

const SECRETS = {
  digestKey: 'digest-key-0123456789',
  token: 'token-0123456789abcdef',
  readToken: 'read-token-0123456789',
  password: 'pass-0123456789',
  parameter: 'parameter-0123456789',
  define: 'define-0123456789',
  thrown: 'thrown-0123456789',
  user: 'db-user-0123456789',
}

const CONFIG = `export default {
  base: '/shop',
  digestKey: '${SECRETS.digestKey}',
  hosts: ['shop.example', '*.shop.example'],
  admin: { token: '${SECRETS.token}' },
  timeouts: { loadMs: 5_000 },
  onFailure() {},
  ledger: 'postgres://${SECRETS.user}:${SECRETS.password}@127.0.0.1:1/shop?password=${SECRETS.parameter}',
  esbuild: { define: { KEY: '"${SECRETS.define}"' }, plugins: [{ name: 'mine', setup() {} }], loader: { '.txt': 'text' } },
}
`

t.test('prints versions, the system, the site, changed options and the ledger, without secrets', async (t) => {
  const dir = createSite(t, { 'hydrant.config.ts': CONFIG, 'pages/a.tsx': 'export default () => null\n' })
  const env = { HYDRANT_ADMIN_READ_TOKEN: SECRETS.readToken, npm_config_user_agent: 'npm/10.8.2 node/v22.0.0 linux' }
  const text = await runHere(['info', dir], env)
  const json = await runHere(['info', dir, '--json'], env)
  for (const { code, stdout, stderr } of [text, json]) {
    t.equal(code, 0)
    t.equal(stderr, '')
    for (const [name, secret] of Object.entries(SECRETS)) t.notMatch(stdout, secret, name)
  }
  t.match(JSON.parse(json.stdout), {
    versions: { hydrant: version, node: process.versions.node, react: /^19\./, esbuild: /^0\./, typescript: /^\d/ },
    system: { os: String, NODE_ENV: /./, container: /./, 'package manager': /^npm 10\.8\.2/ },
    site: { routes: '2', 'server plugin': 'none', configuration: 'hydrant.config.ts', build: /^there is no build in/ },
    options: {
      base: '/shop',
      digestKey: '(set)',
      hosts: 'shop.example, *.shop.example',
      'timeouts.loadMs': '5000',
      onFailure: '(a function)',
      ledger: 'postgres://127.0.0.1:1/shop',
      'esbuild.plugins': 'mine',
      'esbuild.loader': '.txt=text',
      'esbuild.define': '(1 set)',
    },
    ledger: { kind: 'PostgreSQL', opens: /^no: the ledger postgres:\/\/127\.0\.0\.1:1\/shop cannot be reached/ },
  })
  t.match(text.stdout, /^### Options that differ from the default\n\n- base: \/shop$/m)
  t.match(text.stdout, /^- timeouts\.loadMs: 5000$/m)
  t.notOk(existsSync(join(dir, '.hydrant-info')), 'it leaves nothing in the site')
})

t.test('shows tokens as set, and never their values', async (t) => {
  const env = { HYDRANT_ADMIN: 'true', HYDRANT_ADMIN_TOKEN: SECRETS.token, HYDRANT_ADMIN_READ_TOKEN: SECRETS.readToken }
  const { stdout } = await runHere(['info', createSite(t, {}), '--json'], env)
  t.strictSame(JSON.parse(stdout).options, { 'admin.token': '(set)', 'admin.readToken': '(set)' })
})

t.test('hides the secrets in wrong values and in errors of the configuration', async (t) => {
  const wrong = createSite(t, { 'hydrant.config.ts': "export default { bse: '/shop' }\n" }, 'wrong')
  const unknown = await runHere(['info', wrong])
  t.match(unknown, { code: 0, stdout: 'unknown option "bse"; did you mean "base"?' })
  const short = await runHere(['info', createSite(t, {}, 'env')], { HYDRANT_DIGEST_KEY: 'short-secret' })
  t.match(short, { code: 0, stdout: '"HYDRANT_DIGEST_KEY" must be' })
  t.notMatch(short.stdout, 'short-secret')
  const throwing = createSite(
    t,
    { 'hydrant.config.ts': `throw new Error('${SECRETS.thrown}')\nexport default {}\n` },
    'throws',
  )
  const { code, stdout } = await runHere(['info', throwing])
  t.equal(code, 0)
  t.match(stdout, 'HYD_BUILD_CONFIG (hydrant.config.ts:1:7)')
  t.notMatch(stdout, SECRETS.thrown)
})

t.test('describes a build, its ledger, and a site with problems', async (t) => {
  const dir = createSite(t, { 'hydrant.config.ts': 'export default { workers: 2 }\n' })
  await buildSharing({ dir })
  const { stdout } = await runHere(['info', dir, '--json'])
  t.match(JSON.parse(stdout), {
    site: { build: /^[\da-f]{16}, production, routes: 1$/ },
    options: { admin: 'false', workers: '2' },
    ledger: {
      ...{ kind: 'SQLite', opens: 'there is no file yet' },
      driver: isBuiltin('node:sqlite') ? 'node:sqlite' : '@photostructure/sqlite',
    },
  })
  const broken = await runHere(['info', createSite(t, { 'pages/[id.tsx': '' }, 'broken'), '--json'])
  t.match(JSON.parse(broken.stdout).site.problems, 'HYD_BUILD_SEGMENT (pages/[id.tsx)')
  t.match(await runHere(['info', 'no-such-folder']), { code: 2, stderr: 'HYD_CLI_DIR' })
})

t.test('recognizes containers', async (t) => {
  const files =
    (...found: string[]) =>
    (path: string) =>
      found.includes(path)
  t.equal(findContainer({}, files()), null)
  t.equal(findContainer({}, files('/.dockerenv')), 'Docker')
  t.equal(findContainer({}, files('/run/.containerenv')), 'Podman')
  t.equal(findContainer({ KUBERNETES_SERVICE_HOST: '10.0.0.1' }, files('/.dockerenv')), 'Kubernetes')
  t.equal(findContainer({ container: 'lxc' }, files()), 'lxc')
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createServer } from '../../../src/server/create-server.ts'
import { buildFiles, HTML, scriptOf, serve } from '../served.ts'

const failing = {
  'pages/fails.tsx': 'export default function Page() {\n  return <p>never</p>\n}\n',
  'pages/fails.server.ts': "export const load = () => {\n  throw new Error('nobody logs this')\n}\n",
}

t.test('a build that cannot be served gives the reason and a fix', async (t) => {
  const root = t.testdir({})
  const dir = await buildFiles(join(root, 'site'), failing)
  const folder = join(dir, '.hydrant')
  const manifestFile = join(folder, 'manifest.json')
  const manifest = readFileSync(manifestFile, 'utf8')
  const asset = scriptOf(dir, 'pages/fails.tsx')
  const serverFile = join(folder, 'server/index.mjs')
  const refuses = async (code: string, message: RegExp) => {
    await t.rejects(createServer({ dir, logger: false }), { code, message, fix: /^\p{Lu}.*\.$/u }, String(message))
  }

  await t.rejects(createServer({ dir: join(root, 'none'), logger: false }), {
    code: 'HYD_BUILD_MISSING',
    message: /there is no build in .*none\/\.hydrant/,
  })
  for (const text of ['', '{', manifest.slice(0, 200)]) {
    writeFileSync(manifestFile, text)
    await refuses('HYD_BUILD_INCOMPLETE', /manifest\.json cannot be parsed/)
  }
  for (const text of ['{}', 'null', '[]', '5', JSON.stringify({ ...JSON.parse(manifest), format: 99 })]) {
    writeFileSync(manifestFile, text)
    await refuses('HYD_BUILD_VERSION', /was written by hydrant/)
  }
  writeFileSync(manifestFile, JSON.stringify({ ...JSON.parse(manifest), hydrant: '0.0.1' }))
  await refuses('HYD_BUILD_VERSION', /by hydrant 0\.0\.1; this is hydrant \d/)
  writeFileSync(manifestFile, manifest)

  const code = readFileSync(serverFile, 'utf8')
  for (const [text, message] of [
    ["throw new Error('at import')\n", /the server bundle of the build failed to load: at import/],
    ['export const = 5\n', /the server bundle of the build failed to load: /],
    ["import 'no-such-package'\n", /no-such-package/],
    ['throw null\n', /: null/],
  ] as const) {
    // Another build has another id, so Node.js does not reuse the module of the last one.
    writeFileSync(
      manifestFile,
      manifest.replace(/"buildId": "\w+"/, `"buildId": "${Buffer.from(text).toString('hex').slice(0, 16)}"`),
    )
    writeFileSync(serverFile, text)
    await refuses('HYD_BUILD_BROKEN', message)
  }
  writeFileSync(manifestFile, manifest)
  writeFileSync(serverFile, code)
  t.equal((await (await serve(t, dir)).get('/fails')).statusCode, 500, 'and serves when it is whole again')
  rmSync(join(folder, 'client', asset))
  await refuses('HYD_BUILD_INCOMPLETE', new RegExp(`client/${asset} is missing`))
  rmSync(serverFile)
  await refuses('HYD_BUILD_INCOMPLETE', /server\/index\.mjs is missing/)
})

t.test('an import that Node.js cannot resolve is named with its place in the site', async (t) => {
  const files = {
    'node_modules/own/package.json': '{ "name": "own", "type": "module", "exports": "./index.js" }',
    'node_modules/own/index.js': 'export const one = 1\n',
    'pages/index.server.ts': "\nimport { one, tow } from 'own'\nexport const load = () => one + tow\n",
  }
  const dir = await buildFiles(t.testdir({}), files)
  await t.rejects(createServer({ dir, logger: false }), {
    code: 'HYD_BUILD_BROKEN',
    message: /failed to load: pages\/index\.server\.ts:2:15: The requested module 'own' .* named 'tow'/,
  })
  const other = await buildFiles(t.testdir({}), { ...files, 'pages/other.tsx': 'export default () => null\n' })
  rmSync(join(other, 'node_modules'), { recursive: true })
  await t.rejects(createServer({ dir: other, logger: false }), {
    message: /failed to load: pages\/index\.server\.ts:2:1: Cannot find package 'own'/,
  })
})

t.test('a configuration that throws makes the build unusable', async (t) => {
  const dir = await buildFiles(t.testdir({}), {})
  writeFileSync(join(dir, '.hydrant/server/config.mjs'), "throw new Error('no configuration')\n")
  await t.rejects(createServer({ dir, logger: false }), {
    code: 'HYD_BUILD_BROKEN',
    message: /the configuration .*no configuration/,
  })
})

t.test('the configuration of the site applies, and options in code override it', async (t) => {
  const dir = await buildFiles(t.testdir({}), {
    'hydrant.config.ts':
      "import { defineConfig } from 'hydrant'\nexport default defineConfig({ base: '/shop', csp: false })\n",
  })
  const configured = await serve(t, dir)
  t.equal((await configured.get('/shop')).statusCode, 200)
  t.notOk('content-security-policy' in (await configured.get('/shop')).headers)
  const given = await serve(t, dir, { base: '/', csp: true })
  t.equal((await given.get('/')).statusCode, 200)
  t.ok('content-security-policy' in (await given.get('/')).headers)
  await t.rejects(createServer({ dir, logger: false, base: 'x' }), { code: 'HYD_OPTION_INVALID' })
})

t.test('an app without a logger still writes the line of a digest', async (t) => {
  const dir = await buildFiles(t.testdir({}), failing)
  const program = `import Fastify from 'fastify'
import { hydrant } from 'hydrant'
const app = Fastify()
await app.register(hydrant, { dir: ${JSON.stringify(dir)} })
const { headers } = await app.inject({ url: '/fails?token=a-secret-token', headers: ${JSON.stringify({ ...HTML, host: 'shop.example' })} })
console.log(headers['x-error-digest'])
await app.close()
`
  const env = { ...process.env, NODE_ENV: 'production' }
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { env })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  await once(child, 'close')
  const lines = stderr.trim().split('\n')
  t.equal(lines.length, 1)
  t.match(JSON.parse(lines[0] ?? ''), {
    level: 50,
    digest: stdout.trim(),
    side: 'server',
    phase: 'load',
    route: '/fails',
    method: 'GET',
    host: 'shop.example',
    err: { type: 'Error', message: 'nobody logs this', stack: /at load \(pages\/fails\.server\.ts:2:9\)/ },
  })
  t.match(stdout, /^\w{8}-\w{6}\n$/)
  t.notMatch(stderr, 'a-secret-token')
})

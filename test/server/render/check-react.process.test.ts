// Which of React's builds a site is served with. Each combination of builds has a process of its own, because Node.js
// loads React once.

import { execFile } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { COMMAND_OPTIONS } from '../../command-options.ts'
import { runCli, startCli } from '../../scripts/run-cli.ts'
import { buildFiles } from '../served.ts'

const run = promisify(execFile)
const SECRET = 'postgres://admin:hunter22@db.internal'
const files = {
  'pages/part.tsx': `import { Suspense } from 'react'
async function Part() {
  await new Promise((resolve) => setTimeout(resolve, 20))
  throw new Error(${JSON.stringify(SECRET)})
}
export default function Page() {
  return <main><Suspense fallback="loading"><Part /></Suspense></main>
}
`,
}
const folder = t.testdir({ production: {}, development: {} })
const dir = await buildFiles(join(folder, 'production'), files)
const development = join(folder, 'development')
cpSync(dir, development, { recursive: true })
// `hydrant dev` writes manifests of this mode.
const manifest = join(development, '.hydrant', 'manifest.json')
writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"mode": "production"', '"mode": "development"'))

/** The published package, which loads in half the time of its modules. */
const SERVER = 'hydrant'
const FASTIFY = import.meta.resolve('fastify')
const HTML = "{ accept: 'text/html', 'user-agent': 'Mozilla/5.0 Chrome/156' }"

/** Declares the app that serves a site. */
const WAYS = {
  createServer: (site: string, option: string) =>
    `const app = await (await import(${JSON.stringify(SERVER)})).createServer({ dir: ${JSON.stringify(site)}, logger: false, ledger: false, reactServer: '${option}' })`,
  plugin: (site: string, option: string) =>
    `const app = (await import(${JSON.stringify(FASTIFY)})).default()
    await app.register((await import(${JSON.stringify(SERVER)})).default, { dir: ${JSON.stringify(site)}, ledger: false, reactServer: '${option}' })`,
}

interface Served {
  /** The entry point. */
  way: string
  /** The code of the error, or the status of the document. */
  code: number | string
  body: string
}

/** Serves each site with both entry points, one after another in one process, with the same parts of React. */
async function ask(
  option: 'bun' | 'node',
  nodeEnv: string | undefined,
  { sites = [dir], late = '' } = {},
): Promise<Served[]> {
  const parts = sites.flatMap((site) =>
    Object.entries(WAYS).map(
      ([way, declare]) => `try {
    ${declare(site, option)}
    const { statusCode, body } = await app.inject({ url: '/part', headers: ${HTML} })
    served.push({ way: '${way}', code: statusCode, body })
    await app.close()
  } catch (error) {
    served.push({ way: '${way}', code: error.code, body: error.message + ' ' + error.fix })
  }`,
    ),
  )
  const program = `${late && `await import(${JSON.stringify(SERVER)}); process.env.NODE_ENV = '${late}'`}
  const served = []
  ${parts.join('\n')}
  console.log(JSON.stringify(served))`
  const { NODE_ENV: _, ...env } = process.env
  const { stdout } = await run(process.execPath, [...COMMAND_OPTIONS, '--input-type=module', '-e', program], {
    env: nodeEnv === undefined ? env : { ...env, NODE_ENV: nodeEnv },
  })
  // The cast is safe because the program writes the line.
  const served = JSON.parse(stdout.split('\n').at(0) ?? '') as Served[]
  t.equal(served.length, sites.length * Object.keys(WAYS).length)
  return served
}

// Both entry points with each value, and both of React's server builds.
t.test("a production build is served only with React's production build", async (t) => {
  for (const option of ['bun', 'node'] as const) {
    for (const { way, code, body } of await ask(option, 'production')) {
      t.equal(code, 200, `${way} with ${option}`)
      t.notMatch(body, 'hunter22')
    }
  }
  for (const [option, nodeEnv] of [
    ['bun', undefined],
    ['node', 'staging'],
    ['bun', 'test'],
    ['node', 'development'],
    ['bun', 'Production'],
    ['node', ''],
  ] as const) {
    for (const { way, code, body } of await ask(option, nodeEnv)) {
      t.equal(code, 'HYD_REACT_DEVELOPMENT', `${way} with ${option}, NODE_ENV=${nodeEnv}`)
      t.match(body, 'NODE_ENV=production')
    }
  }
})

t.test(
  'parts of different React builds are refused, and the error says where NODE_ENV must be set to production',
  async (t) => {
    for (const [option, before, late] of [
      ['bun', undefined, 'production'],
      ['node', 'test', 'production'],
      ['bun', 'production', 'test'],
      ['node', 'production', 'test'],
    ] as const) {
      for (const { way, code, body } of await ask(option, before, { late, sites: [dir, development] })) {
        t.equal(code, 'HYD_REACT_MIXED', `${way} with ${option}, ${before}, then ${late}`)
        t.match(body, /react \((?:dev|prod)\w+\), .*react-dom\/server \((?:dev|prod)\w+\)/)
      }
    }
  },
)

t.test('a site in development is served with the development build of React', async (t) => {
  for (const { way, code, body } of await ask('bun', undefined, { sites: [development] })) {
    t.equal(code, 200, way)
    t.match(body, 'hunter22', 'whoever writes the page is told')
  }
})

t.test(
  'hydrant start serves with the production build whatever NODE_ENV was, and logs the value that it replaced',
  async (t) => {
    for (const [NODE_ENV, workers] of [
      ['staging', '1'],
      ['development', '2'],
      ['', '1'],
      [undefined, '1'],
    ] as const) {
      const env = NODE_ENV === undefined ? {} : { NODE_ENV }
      const child = startCli(t, ['start', dir, '--port', '0', '--workers', workers], {
        env: { ...env, HYDRANT_LEDGER: 'false' },
      })
      const [, url] = await child.waitFor(/listening at (http:[^"]+)/)
      const body = await (
        await fetch(`${url}/part`, { headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0 Chrome/156' } })
      ).text()
      t.match(body, '$RX(', 'it has failed behind the shell')
      t.notMatch(body, 'hunter22')
      const told = child.lines.filter((line) => line.includes('NODE_ENV was'))
      t.equal(told.length, NODE_ENV === undefined ? 0 : 1, `${NODE_ENV}: once, by one process`)
      if (told[0]) t.match(told[0], `"level":40`)
      await child.stop('SIGTERM')
    }
  },
)

t.test('hydrant build reports that it has changed NODE_ENV', async (t) => {
  const { code, stderr } = await runCli(['build', dir], { env: { NODE_ENV: 'staging' } })
  t.equal(code, 0)
  t.match(stderr, 'NODE_ENV was "staging"; this command has set it to "production"')
})

import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parseAllDocuments } from 'yaml'
import { KEEP_MS } from '../../src/server/lifecycle/shutdown.ts'
import { requireToken } from '../../src/server/options/options.ts'
import { resolveOptions } from '../../src/server/options/resolve-options.ts'
import { AS_PLAIN_USER } from '../plain-user.ts'
import { createSite } from '../scripts/create-site.ts'
import { runCli, startCli } from '../scripts/run-cli.ts'
import { walk } from '../scripts/walk.ts'
import { buildSharing } from '../shared-compression.ts'
import { SYSTEMD_ANALYZE } from '../tools.ts'
import { until } from '../until.ts'

// Tests run in the project's folder.
const FOLDER = 'docs/deploy'
const files = new Map(walk(FOLDER).map((file) => [file, readFileSync(join(FOLDER, file), 'utf8')]))
const textOf = (file: string) => files.get(file) ?? ''
const unit = textOf('systemd/my-site.service')
const manifests = [...files].filter(([file]) => file.endsWith('.yaml'))

interface Container {
  ports: { name: string; containerPort: number }[]
  env: { name: string; value?: string; valueFrom?: { secretKeyRef?: { name: string; key: string } } }[]
  startupProbe: Probe
  readinessProbe: Probe
  livenessProbe: Probe
}

interface Probe {
  httpGet: { path: string }
  periodSeconds: number
}

// The cast follows the schema of Kubernetes for this manifest.
const { replicas, template } = readYaml('kubernetes/deployment.yaml').spec as {
  replicas: number
  template: {
    metadata: { labels: Record<string, string> }
    spec: { terminationGracePeriodSeconds: number; containers: [Container] }
  }
}
const [container] = template.spec.containers
const containerEnv = Object.fromEntries(container.env.map(({ name, value }) => [name, value]))
const unitEnv = Object.fromEntries(
  [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
)

t.test('every variable in the files is one that Hydrant reads', async (t) => {
  const named = new Set([...files.values()].flatMap((text) => text.match(/\bHYDRANT_[A-Z_]+/g) ?? []))
  t.ok(named.size > 5)
  for (const name of named) {
    t.throws(() => resolveOptions({ env: { [name]: '\0' } }), { code: 'HYD_OPTION_INVALID' }, name)
  }
})

t.test('the values in the files are valid', async (t) => {
  const token = { HYDRANT_ADMIN_TOKEN: 'a'.repeat(20) }
  for (const env of [unitEnv, { ...containerEnv, ...token }]) t.doesNotThrow(() => resolveOptions({ env }))
})

t.test('a supervisor waits until a server has had its time before it kills it', async (t) => {
  const needed = (env: Record<string, string | undefined>) => {
    const { timeouts, workers } = resolveOptions({ env })
    // A primary gives its workers their time, and then needs its own.
    return (timeouts.stopDelayMs + timeouts.drainMs + (workers === 1 ? 1 : 3) * KEEP_MS) / 1_000
  }
  t.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) > needed(unitEnv), 'systemd')
  t.ok(template.spec.terminationGracePeriodSeconds > needed(containerEnv), 'Kubernetes')
  const told = [...textOf('README.md').matchAll(/docker (?:stop -t|run[^\n]*?--stop-timeout) (\d+)/g)].map(
    ([, seconds]) => Number(seconds),
  )
  t.ok(told.length >= 2)
  for (const seconds of told) t.ok(seconds > needed({}), 'docker')
})

t.test('a service is started until it runs, and memory that one worker fills does not stop the others', async (t) => {
  const settings = settingsOf(unit)
  for (const [name, value] of [
    // Without a limit of starts. systemd reads it in this section only.
    ['Unit.StartLimitIntervalSec', '0'],
    ['Unit.StartLimitBurst', undefined],
    ['Service.Restart', 'on-failure'],
    // The exit code of a wrong option, which no start mends. A database that is away is another failure.
    ['Service.RestartPreventExitStatus', '2'],
    ['Service.OOMPolicy', 'continue'],
  ] as const)
    t.equal(settings.get(name), value, name)
  // The pauses only grow with all three.
  const [first = 0, steps = 0, longest = 0] = ['RestartSec', 'RestartSteps', 'RestartMaxDelaySec'].map((name) =>
    Number(settings.get(`Service.${name}`)),
  )
  t.ok(first >= 1 && steps > 1 && longest > first && longest <= 30, `${first} s, ${steps} steps, ${longest} s`)
})

t.test('systemd knows every setting of the unit in its section', async (t) => {
  const dir = t.testdir({})
  const file = join(dir, 'my-site.service')
  const isKnown = (text: string) => {
    writeFileSync(file, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
    const { stderr, error } = spawnSync(SYSTEMD_ANALYZE, ['verify', '--man=no', file], { encoding: 'utf8' })
    if (error) throw error
    // The unit says that systemd before 254 ignores these two.
    const others = stderr.split('\n').filter((line) => !/Restart(?:Steps|MaxDelaySec)'.*ignoring/.test(line))
    return others.join('\n').trim()
  }
  t.equal(isKnown(unit), '')
  t.match(isKnown(unit.replace('[Service]', '[Service]\nStartLimitIntervalSec=0')), /StartLimitIntervalSec/)
  t.match(isKnown(unit.replace('OOMPolicy=continue', 'OOMPolicy=go')), /OOMPolicy|OOM policy/)
})

t.test('replicas share the ledger and the page cache, by secrets that the example has', async (t) => {
  t.ok(replicas > 1)
  const keys = container.env.flatMap(({ name, valueFrom }) =>
    valueFrom?.secretKeyRef ? [[name, valueFrom] as const] : [],
  )
  const names = ['HYDRANT_LEDGER', 'HYDRANT_PAGE_CACHE_STORE', 'HYDRANT_ADMIN_TOKEN', 'HYDRANT_ADMIN_READ_TOKEN']
  t.strictSame(
    keys.map(([name]) => name),
    names,
  )
  // The cast follows the schema of Kubernetes.
  const { metadata, stringData } = readYaml('kubernetes/secret.example.yaml') as {
    metadata: { name: string }
    stringData: Record<string, string>
  }
  const env: Record<string, string | undefined> = {}
  for (const [name, { secretKeyRef }] of keys) {
    t.equal(secretKeyRef?.name, metadata.name)
    env[name] = stringData[secretKeyRef?.key ?? '']
    t.type(env[name], 'string', name)
  }
  const { ledger, pageCache } = resolveOptions({ env })
  t.match([ledger, pageCache.store], [/^postgres:/, /^postgres:/])
  const created = new RegExp(`kubectl create secret generic ${metadata.name} `)
  t.match(textOf('README.md'), created)
  for (const key of Object.keys(stringData)) t.match(textOf('README.md'), `--from-literal=${key}=`)
})

t.test('Prometheus reads the metrics of each pod with a token of its own, and the public cannot', async (t) => {
  // The cast follows the schema of the Prometheus Operator.
  const { spec } = readYaml('kubernetes/pod-monitor.yaml') as {
    spec: {
      selector: { matchLabels: Record<string, string> }
      podMetricsEndpoints: [
        { port: string; path: string; authorization: { credentials: { name: string; key: string } } },
      ]
    }
  }
  t.match(template.metadata.labels, spec.selector.matchLabels)
  const [{ port, path, authorization }] = spec.podMetricsEndpoints
  const { admin } = resolveOptions({ env: { ...containerEnv, HYDRANT_ADMIN_TOKEN: 'a'.repeat(20) } })
  t.match(admin, { host: '0.0.0.0', port: container.ports.find(({ name }) => name === port)?.containerPort })
  t.equal(path, '/metrics')
  const read = container.env.find(({ name }) => name === 'HYDRANT_ADMIN_READ_TOKEN')
  t.strictSame(authorization.credentials, read?.valueFrom?.secretKeyRef)
  for (const file of ['service', 'ingress'])
    t.notMatch(textOf(`kubernetes/${file}.yaml`), new RegExp(`${port}|9320`), file)
  // The values of the example are empty: nobody starts a server with a token that is public.
  const open = resolveOptions({ env: { ...containerEnv, HYDRANT_ADMIN_TOKEN: '' } }).admin
  t.throws(() => open && requireToken(open), { code: 'HYD_OPTION_ADMIN_TOKEN' })
})

t.test('proxies let through the largest form that Hydrant accepts', async (t) => {
  const { bodyLimit, forms } = resolveOptions({})
  const needed = bodyLimit + forms.maxFiles * forms.maxFileBytes + 1024 * (forms.maxFiles + forms.maxFields)
  const nginx = ['nginx.conf', 'nginx-cache.conf'].map((file) => readFileSync(join('docs/proxies', file), 'utf8'))
  for (const text of [textOf('kubernetes/ingress.yaml'), ...nginx])
    t.ok(Number(/(?:proxy-body-size:|client_max_body_size) (\d+)m/.exec(text)?.[1]) * 1024 * 1024 > needed)
})

t.test('the Dockerfiles of the documents and the templates agree', async (t) => {
  const templates = ['site', 'plugin'].map((name) => readFileSync(join('templates', name, 'Dockerfile'), 'utf8'))
  const all = [textOf('container/Dockerfile'), ...templates]
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const pattern of [/^HEALTHCHECK .*\n.*$/m, /^RUN rm -rf .*$/m]) {
    const lines = new Set(all.map((text) => pattern.exec(text)?.[0]))
    t.equal(lines.size, 1)
    t.notOk(lines.has(undefined))
  }
  t.match(all[0], container.livenessProbe.httpGet.path)
  const removed = [...(/^RUN rm -rf (.*)$/m.exec(all[0] ?? '')?.[1]?.matchAll(/node_modules\/([\w-]+)/g) ?? [])].map(
    ([, name]) => name,
  )
  t.strictSame(
    removed,
    Object.keys(dependencies).filter((name) => /^(?:esbuild|oxc)/.test(name)),
  )
})

t.test('only servers with workers are told to reload, because a single process would stop', async (t) => {
  t.match(unit, /^ExecReload=.* -HUP \$MAINPID$/m)
  t.ok(Number(resolveOptions({ env: unitEnv }).workers) > 1)
})

t.test('a stopping server serves until a load balancer has asked twice', async (t) => {
  const { stopDelayMs } = resolveOptions({ env: containerEnv }).timeouts
  t.ok(stopDelayMs > 2_000 * container.readinessProbe.periodSeconds)
})

t.test('the manifests are YAML, and all references in them exist', async (t) => {
  t.ok(manifests.length > 4)
  for (const [file] of manifests) t.type(readYaml(file).kind, 'string', file)
  // The cast follows the schema of Kustomize.
  const { resources } = readYaml('kubernetes/kustomization.yaml') as { resources: string[] }
  for (const file of resources) t.ok(files.has(`kubernetes/${file}`), file)
})

t.test('a built site runs in a folder that it may not write', async (t) => {
  const dir = createSite(t, {
    'site/pages/index.tsx': 'export default () => <p>page</p>\n',
    'site/pages/form.tsx': 'export default ({ actionData }) => <p>{actionData?.bytes} bytes</p>\n',
    'site/pages/form.server.ts':
      "export const action = async ({ form }) => ({ bytes: (await form.get('file').arrayBuffer()).byteLength })\n",
    'site/pages/fail.tsx': "export default () => { throw new Error('no price') }\n",
    'temporary/.keep': '',
    'state/.keep': '',
  })
  const [site, temporary, state] = [join(dir, 'site'), join(dir, 'temporary'), join(dir, 'state')]
  await buildSharing({ dir: site })
  const before = readdirSync(site)
  chmodSync(site, 0o555)
  const start = (env: Record<string, string>) =>
    startCli(t, ['start', site], { under: AS_PLAIN_USER, env: { PORT: '0', TMPDIR: temporary, ...env } })

  await t.test('with its failures in memory, and one warning', async (t) => {
    const server = start({})
    const url = await urlOf(server)
    await checkSite(t, url)
    await server.waitFor(/failures are kept in memory until the server stops: the ledger .* cannot be written/)
    t.equal(server.lines.filter((line) => line.includes('"level":40')).length, 1)
    t.equal(await server.stop('SIGTERM'), 0)
  })

  await t.test('with a ledger elsewhere', async (t) => {
    const ledger = join(state, 'errors.db')
    const server = start({ HYDRANT_LEDGER: ledger })
    const url = await urlOf(server)
    for (const { httpGet } of [container.startupProbe, container.readinessProbe, container.livenessProbe])
      t.equal((await fetch(url + httpGet.path)).status, 200, httpGet.path)
    const digest = await checkSite(t, url)
    await until(async () => (await runCli(['errors', digest, '--ledger', ledger])).stdout.includes('no price'))
    t.equal(server.lines.filter((line) => line.includes('"level":40')).length, 0)
    t.equal(await server.stop('SIGTERM'), 0)
  })

  chmodSync(site, 0o755)
  t.strictSame(readdirSync(site), before)
  t.strictSame(readdirSync(temporary), ['.keep'])
})

/** Returns the settings of a unit, by `Section.Name`. */
function settingsOf(text: string): ReadonlyMap<string, string> {
  let section = ''
  return new Map(
    text.split('\n').flatMap((line) => {
      section = /^\[(\w+)\]$/.exec(line)?.[1] ?? section
      const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? []
      return name === undefined || value === undefined ? [] : [[`${section}.${name}`, value] as const]
    }),
  )
}

async function urlOf(server: ReturnType<typeof startCli>): Promise<string> {
  const [, url = ''] = await server.waitFor(/listening at (http:[^"]+)/)
  return url
}

/** Requests a page, a form with a file, and a failure. Returns the digest of the failure. */
async function checkSite(t: Test, url: string): Promise<string> {
  t.match(await (await fetch(url)).text(), '<p>page</p>')
  const body = new FormData()
  body.set('file', new File(['x'.repeat(100_000)], 'a.txt'))
  const sent = await fetch(`${url}/form`, { method: 'POST', body })
  t.equal(sent.status, 200)
  const failed = await fetch(`${url}/fail`)
  t.equal(failed.status, 500)
  return failed.headers.get('x-error-digest') ?? ''
}

function readYaml(file: string): Record<string, unknown> {
  const [document, ...others] = parseAllDocuments(textOf(file))
  t.equal(others.length, 0, `${file} has one document`)
  t.strictSame(document?.errors, [], file)
  // Documents of Kubernetes are maps.
  return document?.toJS() as Record<string, unknown>
}

import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { record } from './record.ts'

const BENCH = 'dist/bench/run.js'
const run = promisify(execFile)
const bench = (args: readonly string[], env: NodeJS.ProcessEnv = { ...process.env }) =>
  run(process.execPath, [BENCH, ...args], { env })

t.test('wrong arguments and missing programs are errors that say what to do', async (t) => {
  const app = { package: 'app-sveltekit', buildOutputDir: 'build' }
  const github = {
    'frameworks.json': JSON.stringify([{ name: 'sveltekit', app }, { name: 'next', app }, { name: 'x' }]),
  }
  const dir = t.testdir({
    peers: { 'bench.mjs': '', 'wrk.lua': '' },
    empty: {},
    out: {},
    tracker: { '.github': github },
  })
  const [peers, tracker] = [join(dir, 'peers'), join(dir, 'tracker')]
  const cases: readonly [args: readonly string[], message: RegExp, path?: string][] = [
    [[], /^Error: the part "speed" needs the folder of the peers\nTry: npm run bench -- PEERS_FOLDER/],
    [[peers, '--color'], /^Error: Unknown option '--color'/],
    [[peers, peers], /^Error: expected one folder of peers/],
    [['--parts', 'growth,speeds'], /^Error: --parts must be some of speed, .*; got "speeds"/],
    [['--parts', 'growth', '--sizes', '10,many'], /^Error: --sizes must be a whole number from 1; got "many"/],
    [['--parts', 'growth', '--name', '../x'], /^Error: --name must be letters, .*; got "\.\.\/x"/],
    [[join(dir, 'none')], /^Error: the folder .*none does not exist\nTry: npm run bench -- PEERS_FOLDER/],
    [[join(dir, 'empty')], /^Error: .*empty is no folder of peers: it has no bench\.mjs\nTry: /],
    [[peers, '--peers', 'rails'], /^Error: .*peers has no server "rails"\nTry: Name subfolders that have/],
    [[peers, '--parts', 'speed'], /^Error: taskset is not installed\nTry: apt-get install util-linux/, dir],
    [['--parts', 'cache'], /^Error: setpriv is not installed\nTry: apt-get install util-linux/, dir],
    [['--parts', 'growth'], /^Error: setpriv is not installed\nTry: apt-get install util-linux/, dir],
    [['--tracker', peers, '--parts', 'cache'], /^Error: --tracker has a part and a folder of its own/],
    [['--tracker', join(dir, 'none')], /^Error: .*none is no clone of framework-tracker: .*\nTry: git clone https/],
    [['--tracker', peers], /^Error: .*peers is no clone of framework-tracker: it has no \.github.frameworks\.json/],
    [['--tracker', tracker, '--peers', 'x'], /^Error: there is no "x" to serve\nTry: Name some of sveltekit, next/],
    [['--tracker', tracker, '--peers', 'next'], /^Error: next is not built in .*\nTry: \(cd .*app-sveltekit && npm i/],
    [['--tracker', tracker], /^Error: sveltekit is not built in .*\nTry: \(cd .*app-sveltekit && npm install/],
    [['--report', '--out', join(dir, 'out')], /^Error: there is no record .*last\.json\nTry: npm run bench/],
  ]
  for (const [args, stderr, path] of cases) {
    const env = path === undefined ? process.env : { ...process.env, PATH: path }
    await t.rejects(bench(args, env), { code: 2, stderr }, args.join(' '))
  }
  t.strictSame(readdirSync(join(dir, 'out')), [], 'nothing is written')
})

t.test('the tables show a record', async (t) => {
  const out = t.testdir({ 'mine.json': JSON.stringify(record) })
  const { stdout: tables } = await bench(['--report', '--out', out, '--name', 'mine'])
  t.strictSame(readdirSync(out), ['mine.json'], 'nothing is written')
  t.match(tables, '| Hydrant is better by | bare | next |')
  t.match(tables, '| small page | **0.50** | 10 |', 'ratios are those of a round, and bold if Hydrant is behind')
  t.match(tables, '| cold start | **0.50** | 5.00 |', 'less time is better')
  t.match(tables, /^- speed: 2026-01-31 12:00 UTC, .* commit abc1234, 2 cores of a & b, 8 GB, .*v20\.20\.2/m)
  t.match(tables, '- speed: slow <b>: no answer', 'problems are named')
  t.match(tables, '| build, s | 1 | 1.1 | 2 | × 2 | at most linear |')
  t.match(tables, '| start, ms | 100 | 110 | 400 | × 4 | **grows** |')
  t.match(tables, '| document, bytes | 1,400 | 1,400 | 1,400 | × 1 | flat |')
  t.match(tables, '| one process, requests/CPU s | not compressed | Brotli | gzip |')
  t.match(tables, '| stored page | 10 (0.50) | 10 (0.50) | 10 (0.50) |', 'ratios are those of a turn')
  t.match(tables, '| 2 workers on one core, requests/CPU s |')
  t.equal(tables.match(/^\| bare Fastify, /gm)?.length, 1, 'the bare Fastify has no workers')
  t.match(tables, '| 1,000 rows: load | **0.50** | – |', 'the tracker has figures of its own')
  t.match(tables, 'Hydrant builds 1,000 pages 20 times as fast as Next 16.4.6')
})

t.test('a generated site is measured from the build to the memory of a stream', async (t) => {
  const dir = t.testdir({})
  const [out, work] = [join(dir, 'out'), join(dir, 'work')]
  mkdirSync(out)
  writeFileSync(join(out, 'mine.json'), JSON.stringify({ ...record, parts: { speed: record.parts.speed } }))
  const places = ['--out', out, '--work', work, '--name', 'mine']
  await bench(['--parts', 'growth', '--sizes', '3', '--quick', ...places])
  const { parts } = JSON.parse(readFileSync(join(out, 'mine.json'), 'utf8'))
  t.match(parts.speed, { commit: 'abc1234' }, 'other parts of the record are kept')
  t.strictSame(parts.growth.problems, ['no build was compared, because no peer uses the app router of Next'])
  const [{ pages, buildMs, buildMb, served }] = parts.growth.figures.sizes
  t.equal(pages, 3)
  t.ok(buildMs > 0 && buildMb > 0, 'the build has a cost')
  t.strictSame(
    served.map(({ workers }: { workers: number }) => workers),
    [1, 2],
  )
  for (const figures of served) {
    for (const [name, value] of Object.entries(figures)) t.ok(Number(value) > 0, `${name} is ${value}`)
    t.ok(figures.requestBytes < 1_000_000 && figures.streamBytes < 1_000_000, 'memory is that of one request')
  }
  t.strictSame(readdirSync(work), [], 'the generated sites are removed')
})

t.test('the documents have the figures of the record', async (t) => {
  const [summary = '', figures = ''] = ['README.md', 'docs/benchmark.md'].map(
    (file) => /<!-- benchmark -->\n([\s\S]*)\n<!-- end of benchmark -->/.exec(readFileSync(file, 'utf8'))?.[1],
  )
  const { stdout } = await bench(['--report'])
  t.equal(figures, stdout.trim())
  const columnsOf = (text: string) => /^\| {2}\| (.+) \|$/m.exec(text)?.[1]?.split(' | ') ?? []
  const rowsOf = (text: string) =>
    [...text.matchAll(/^\| ([^|]+, \S+) \| (.+) \|$/gm)].map(
      ([, title = '', cells = '']) => [title, cells.split(' | ')] as const,
    )
  const all = new Map(rowsOf(stdout))
  const figureOf = (title: string, server: string) => all.get(title)?.[columnsOf(stdout).indexOf(server)]
  const names = new Map([
    ['Hydrant', 'hydrant'],
    ['@fastify/react', 'fastify-react'],
    ['Vike', 'vike'],
  ])
  const rows = rowsOf(summary)
  t.equal(rows.length, 4)
  for (const [title, cells] of rows) {
    for (const [name, server] of names) {
      const value = figureOf(title, server)
      t.match(value, /\d/, `${title} of ${server}`)
      t.equal(cells[columnsOf(summary).indexOf(name)], value, `${title} of ${name}`)
    }
  }
  const lost = /Hydrant loses to at least one framework in: ([^.]+)\./.exec(summary)?.[1]?.split(', ') ?? []
  t.ok(lost.length > 0, 'no server is best in everything')
  for (const title of lost) t.match(stdout, `\n- ${title}: `)
  const rates = new Map(
    columnsOf(stdout).map((server) => [server, Number(figureOf('small page, requests/s', server)?.replace(',', ''))]),
  )
  const said = /React without a framework answers the small page up to (\S+) times as fast\./.exec(summary)?.[1]
  const ratio = Math.max(...rates.values()) / (rates.get('hydrant') ?? 0)
  t.ok(Math.abs(Number(said) - ratio) < 0.01, `${said} is the record's ${ratio}`)
})

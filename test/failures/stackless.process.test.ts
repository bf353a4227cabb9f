// Values that are thrown without a stack lead to the function that threw them.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { buildApp } from '../build-app.ts'
import { runHere } from '../scripts/run-here.ts'
import { builtFiles, HTML } from '../server/served.ts'
import { type LogLine, startSite } from '../site-server.ts'

const dir = await buildApp(t, 'stackless')
const { manifest } = builtFiles(dir)

/** The first lines of the functions that throw, by the beginnings of the paths at which they do. */
const places = new Map(readdirSync(dir, { recursive: true, encoding: 'utf8' }).flatMap(listPlaces))
const paths = [...places.keys()].filter((path) => path !== '/timer')

/** The kinds of values in `parts/values.ts`. */
const KINDS = [
  'string',
  'number',
  'undefined',
  'null',
  'symbol',
  'digest',
  'frozen',
  'deleted',
  'overwritten',
  'unreadable',
]

/** Lists the functions of a file that have a path as a comment in their first line. */
function listPlaces(file: string): [path: string, place: string][] {
  if (file.startsWith('.hydrant') || !/\.tsx?$/.test(file)) return []
  const lines = readFileSync(join(dir, file), 'utf8').split('\n')
  return lines.flatMap((text, index) => {
    const path = /^ +\/\/ place: (\S+)$/.exec(text)?.[1]
    return path === undefined ? [] : [[path, `${file}:${index}`] as [string, string]]
  })
}

/** Returns the first position in the site that a log line names. */
function placeOf({ err }: LogLine): string | undefined {
  return /^ {4}at (?:.*\()?([^\s()]+:\d+):\d+\)?$/m.exec(err?.stack ?? '')?.[1]
}

t.test('every value leads to its function, wherever it was thrown, in both of React’s server builds', async (t) => {
  t.equal(manifest.mode, 'production')
  t.equal(paths.length, 23)
  const fingerprints: Record<string, [fingerprint: string, cell: string][]> = {}
  for (const reactServer of ['bun', 'node']) {
    const env = { HYDRANT_LEDGER: 'false', HYDRANT_REACT_SERVER: reactServer }
    const site = await startSite(t, { dir, env })
    fingerprints[reactServer] = []
    const wrong: string[] = []
    for (const path of paths) {
      for (const kind of KINDS) {
        const method = path === '/action' ? 'POST' : 'GET'
        const origin = `http://127.0.0.1:${site.port}`
        const answer = await fetch(`${origin}${path}/${kind}`, { method, headers: { ...HTML, origin } })
        await answer.text()
        const id = answer.headers.get('x-request-id')
        const line = await site.waitForLine(({ reqId, digest }) => reqId === id && digest !== undefined)
        if (placeOf(line) !== places.get(path)) wrong.push(`${path}/${kind}: ${line.err?.stack}`)
        fingerprints[reactServer].push([String(line.digest).slice(0, 8), `${path}/${kind}`])
      }
    }
    t.strictSame(wrong, [], reactServer)
    await site.stop()
  }
  t.strictSame(fingerprints.bun, fingerprints.node, 'a failure has one name')
  const last = new Map(fingerprints.bun)
  // Fastify reports only that a hook has thrown nothing: `undefined` or `null`.
  const shared = fingerprints.bun?.filter(
    ([fingerprint, cell]) => last.get(fingerprint) !== cell && cell !== '/hook/undefined',
  )
  t.strictSame(shared, [], 'and no other failure has it')
})

t.test('an exception of a timer leads to its callback', async (t) => {
  const ledger = join(dir, 'errors.db')
  for (const kind of ['string', 'undefined', 'deleted']) {
    const site = await startSite(t, { dir, env: { HYDRANT_LEDGER: ledger } })
    await fetch(`http://127.0.0.1:${site.port}/timer/${kind}`)
    const line = await site.waitForLine(({ phase }) => phase === 'process')
    t.equal(placeOf(line), places.get('/timer'), kind)
    await site.ended
    const { stdout } = await runHere(['errors', String(line.digest), dir, '--ledger', ledger])
    t.match(stdout, /> \d+ \| {5}setTimeout\(\(\) => \{/)
  }
})

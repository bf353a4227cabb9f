// Values that are thrown without a stack lead to the function that threw them.

import { join } from 'node:path'
import t from 'tap'
import { runCli } from '../scripts/run-cli.ts'
import { HTML, writeFiles } from '../server/served.ts'
import { buildSharing } from '../shared-compression.ts'
import { type LogLine, startSite } from '../site-server.ts'
import { KINDS, STACKLESS_PLACES, STACKLESS_SITE } from './stackless-site.ts'

const PATHS = [...STACKLESS_PLACES.keys()].filter((path) => path !== '/timer')

const dir = join(t.testdir({}), 'site')
writeFiles(dir, STACKLESS_SITE)
const { manifest } = await buildSharing({ dir })

/** Returns the first position in the site that a log line names. */
function placeOf({ err }: LogLine): string | undefined {
  return /^ {4}at (?:.*\()?([^\s()]+:\d+):\d+\)?$/m.exec(err?.stack ?? '')?.[1]
}

t.test('every value leads to its function, wherever it was thrown, in both of React’s server builds', async (t) => {
  t.equal(manifest.mode, 'production')
  const fingerprints: Record<string, [fingerprint: string, cell: string][]> = {}
  for (const reactServer of ['bun', 'node']) {
    const env = { HYDRANT_LEDGER: 'false', HYDRANT_REACT_SERVER: reactServer }
    const site = await startSite(t, { dir, env })
    fingerprints[reactServer] = []
    for (const path of PATHS) {
      for (const kind of KINDS) {
        const method = path === '/action' ? 'POST' : 'GET'
        const origin = `http://127.0.0.1:${site.port}`
        const answer = await fetch(`${origin}${path}/${kind}`, { method, headers: { ...HTML, origin } })
        await answer.text()
        const id = answer.headers.get('x-request-id')
        const line = await site.waitForLine(({ reqId, digest }) => reqId === id && digest !== undefined)
        t.equal(placeOf(line), STACKLESS_PLACES.get(path), `${path}/${kind}: ${line.err?.stack}`)
        fingerprints[reactServer].push([String(line.digest).slice(0, 8), `${path}/${kind}`])
      }
    }
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
    t.equal(placeOf(line), STACKLESS_PLACES.get('/timer'), kind)
    await site.ended
    const { stdout } = await runCli(['errors', String(line.digest), dir, '--ledger', ledger])
    t.match(stdout, /> \d+ \| {5}setTimeout\(\(\) => \{ \/\/ place/)
  }
})
